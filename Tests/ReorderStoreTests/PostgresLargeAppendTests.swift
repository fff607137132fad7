import Foundation
import PostgresStore
import PostgresTesting
import ReorderStore
import Testing
import Waiting

/// Appends of more tasks than one statement handles.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresLargeAppendTests {
    private static let count = 60_001

    /// The large append has begun, and waits for another connection's lock.
    @Test func otherListsAreAppendedDuringALargeAppend() throws {
        try withDatabase { url, name in
            let store = try openStore(url)
            defer { try? store.close() }
            try store.append([
                .exists("big", 1, snapshot: true), .exists("small", 1, snapshot: true),
            ])
            let cluster = try PostgresCluster.shared()
            let lock = try cluster.hold(
                "UPDATE reorderd.list SET title = title WHERE id = 'big'", in: name)
            let large = Background {
                let tasks = (0..<5_000).map { "t\($0)" }
                #expect(throws: Never.self) {
                    try store.append([.exists("big", 2, count: tasks.count, inserting: tasks)])
                }
            }
            let waiting = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"
            try waitUntil { try cluster.psql(waiting, in: name) == "1" }
            for version in 2...4 { try store.append([.exists("small", version)]) }
            #expect(!large.hasEnded)
            lock.release()
            try large.wait()
            #expect(try store.load("big")?.version == 2)
            #expect(try store.load("small")?.version == 4)
        }
    }

    @Test func aLargeAppendIsWrittenAsAWhole() throws {
        try withDatabase { url, _ in
            let store = try openStore(url)
            defer { try? store.close() }
            let tasks = (0..<Self.count).map { "t\($0)" }
            let probes = ["t0", "t30000", "t\(Self.count - 1)"]
            func holders() throws -> Set<String?> {
                let found = try store.lists(containing: probes)
                return Set(probes.map { found[$0] })
            }
            try store.append([
                .exists("big", 1, count: Self.count, snapshot: true, inserting: tasks),
                .exists("other", 1, snapshot: true),
            ])
            #expect(try holders() == ["big"])
            try store.append([
                .exists("big", 2, deleting: tasks),
                .exists("other", 2, count: Self.count, inserting: tasks),
            ])
            #expect(try holders() == ["other"])
            // The last of these tasks is in another list, so none is inserted.
            try store.append([.exists("big", 3, count: 1, inserting: ["z"])])
            #expect(throws: StoreError.taskTaken(id: "z")) {
                let new = (0..<Self.count).map { "u\($0)" } + ["z"]
                try store.append([.exists("new", 1, snapshot: true, inserting: new)])
            }
            #expect(try store.lists(containing: ["u0", "u30000"]) == [:])
            try store.append([.deleted("other", 3)])
            #expect(try holders() == [nil])
        }
    }
}
