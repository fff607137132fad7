import Foundation
import PostgresStore
import PostgresTesting
import ReorderStore
import Synchronization
import Testing

/// Appends of more tasks than one statement handles.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresLargeAppendTests {
    private static let count = 60_001

    /// The large append has begun, and waits for another connection's lock.
    @Test func otherListsAreAppendedDuringALargeAppend() throws {
        try withDatabase { url, name in
            let store = try PostgresListStore(url: url)
            defer { try? store.close() }
            try store.append([
                .exists("big", 1, snapshot: true), .exists("small", 1, snapshot: true),
            ])
            let cluster = try PostgresCluster.shared()
            let lock = try cluster.hold(
                "UPDATE reorderd.list SET title = title WHERE id = 'big'", in: name)
            let (done, failure) = (DispatchSemaphore(value: 0), Failure())
            Thread {
                let tasks = (0..<5_000).map { "t\($0)" }
                do throws(StoreError) {
                    try store.append([.exists("big", 2, count: tasks.count, inserting: tasks)])
                } catch {
                    failure.error.withLock { $0 = error }
                }
                done.signal()
            }.start()
            let waiting = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"
            // A long limit that is only reached if the append needs no lock.
            let deadline = Date(timeIntervalSinceNow: 60)
            while try cluster.psql(waiting, in: name) != "1", Date() < deadline { usleep(10_000) }
            for version in 2...4 { try store.append([.exists("small", version)]) }
            #expect(done.wait(timeout: .now()) == .timedOut)
            lock.release()
            #expect(done.wait(timeout: .now() + 60) == .success)
            #expect(failure.error.withLock { $0 } == nil)
            #expect(try store.load("big")?.version == 2)
            #expect(try store.load("small")?.version == 4)
        }
    }

    private final class Failure: Sendable {
        let error = Mutex<StoreError?>(nil)
    }

    @Test func aLargeAppendIsWrittenAsAWhole() throws {
        let patient = StoreKind(
            testDescription: "PostgreSQL", survivesClosing: true, close: StoreKind.removeDatabase
        ) {
            try PostgresListStore(
                url: StoreKind.migratedDatabase($0),
                options: PostgresListStore.Options(timeoutSeconds: 300))
        }
        try StoreUnderTest.run(patient) { test in
            let tasks = (0..<Self.count).map { "t\($0)" }
            let probes = ["t0", "t30000", "t\(Self.count - 1)"]
            func holders() throws -> Set<String?> {
                let found = try test.store.lists(containing: probes)
                return Set(probes.map { found[$0] })
            }
            try test.store.append([
                .exists("big", 1, count: Self.count, snapshot: true, inserting: tasks),
                .exists("other", 1, snapshot: true),
            ])
            #expect(try holders() == ["big"])
            try test.store.append([
                .exists("big", 2, deleting: tasks),
                .exists("other", 2, count: Self.count, inserting: tasks),
            ])
            #expect(try holders() == ["other"])
            // The last of these tasks is in another list, so none is inserted.
            try test.store.append([.exists("big", 3, count: 1, inserting: ["z"])])
            #expect(throws: StoreError.taskTaken(id: "z")) {
                let new = (0..<Self.count).map { "u\($0)" } + ["z"]
                try test.store.append([.exists("new", 1, snapshot: true, inserting: new)])
            }
            #expect(try test.store.lists(containing: ["u0", "u30000"]) == [:])
            try test.store.append([.deleted("other", 3)])
            #expect(try holders() == [nil])
        }
    }
}
