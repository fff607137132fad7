import Foundation
import PostgresTesting
import ReorderStore
import Testing
import Waiting

@testable import PostgresStore

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

    @Test func aLargeSnapshotIsStoredAsItIs() throws {
        try withDatabase { url, _ in
            let store = try openStore(url)
            defer { try? store.close() }
            let bytes = (0..<5_000_001).map { UInt8(truncatingIfNeeded: ($0 &* $0) >> 7) }
            try store.append([
                ListCommit(
                    list: "big", version: 1, at: 1, change: [1], snapshot: bytes,
                    stateAfter: .exists(title: "big", count: 0, open: 0)),
                .exists("small", 1, snapshot: true),
            ])
            #expect(try store.load("big")?.content?.snapshot == bytes)
            #expect(try store.load("small")?.version == 1)
        }
    }

    @Test func copiedRowsAreNotKeptInMemory() throws {
        try withDatabase { url, _ in
            let settings = ConnectionSettings(url: url, timeoutSeconds: hangSeconds)
            let server = try PostgresServer(settings) { _ in }
            defer { server.close() }
            let connection = try repeated { try server.connect() }
            let bytes = [UInt8](repeating: 7, count: 5_000_000)
            func copy(to target: String) throws(PostgresError) {
                let statement = Statement("unused", "", copyTarget: target)
                try connection.run([Statement.begin()])
                let rows = try connection.copy(
                    statement(.texts(["a", "b"]), .ints([1, -2]), .byteArrays([bytes, []])))
                #expect(rows.changedCount == 2)
            }
            let target = "reorderd.snapshot (list, version, body)"
            try copy(to: target)
            #expect(!connection.hasLargeBuffers)
            let read = Statement(
                "read",
                "SELECT list, version, length(body)::bigint FROM reorderd.snapshot ORDER BY list")
            let rows = try connection.run([read(), Statement.commit()])[0]
            #expect(rows.indices.map { rows.text($0, 0) } == ["a", "b"])
            #expect(rows.indices.map { rows.int($0, 1) } == [1, -2])
            #expect(rows.indices.map { rows.int($0, 2) } == [5_000_000, 0])
            // These rows exist, and this table does not.
            for target in [target, "reorderd.nothing (list, version, body)"] {
                #expect(throws: PostgresError.self) { try copy(to: target) }
                #expect(try connection.run([read()])[0].count == 2)
            }
        }
    }
}
