import PostgresStore
import PostgresTesting
import ReorderStore
import Testing

/// Appends of more tasks than one statement handles.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresLargeAppendTests {
    private static let count = 60_001

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
