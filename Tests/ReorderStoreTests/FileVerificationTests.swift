import Foundation
import GRDB
import ReorderStore
import SQLiteStore
import Synchronization
import Testing

/// `verify` finds faults planted in a store's file.
@Suite
struct FileVerificationTests {
    @Test func aSoundFileHasNoFaults() throws {
        try #expect(faults(after: "SELECT 1") == [])
    }

    @Test(arguments: [
        ("UPDATE head SET version = 199 WHERE list = 1", "list a, version 199"),
        ("UPDATE head SET version = 9223372036854775807", "list b, version 9223372036854775807"),
        ("DELETE FROM head WHERE list = 1", "list a"),
        ("DELETE FROM list WHERE id = 'a'", "list number 1"),
        ("DELETE FROM journal WHERE list = 1 AND version = 150", "list a, version 150"),
        ("UPDATE journal SET previous = 0 WHERE list = 1 AND version = 150", "list a, version 149"),
        ("UPDATE journal SET previous = 7 WHERE list = 2 AND version = 1", "list b, version 1"),
        ("UPDATE journal SET body = x'00' WHERE list = 1 AND version = 150", "list a, version 150"),
        (
            "INSERT INTO journal SELECT 9999, 1, 5, 0, at, checksum, body FROM journal LIMIT 1",
            "change 9999"
        ),
        ("UPDATE list SET forgotten = 300 WHERE id = 'a'", "list a"),
        ("UPDATE list SET forgotten = 80 WHERE id = 'a'", "list a, version 99"),
        ("UPDATE list SET forgotten = forgotten + 1 WHERE id = 'a'", "change 100"),
        ("UPDATE list SET oldest = 7 WHERE id = 'a'", "list a, version 100"),
        ("DELETE FROM landmark WHERE list = 1 AND version = 128", "list a, version 128"),
        ("UPDATE landmark SET change = 9 WHERE version = 192", "list a, version 192"),
        ("INSERT INTO landmark VALUES (1, 64, 64)", "landmark of list number 1, version 64"),
        ("DELETE FROM snapshot WHERE list = 2", "list b"),
        ("UPDATE snapshot SET body = x'00' WHERE list = 2", "list b, version 1"),
        (
            "INSERT INTO snapshot VALUES (3, 1, 0, x'')",
            "snapshot of list number 3, version 1"
        ),
        ("UPDATE snapshot SET version = 98 WHERE version = 99", "list a, version 98"),
        ("INSERT INTO task VALUES ('ghost', 77)", "task ghost"),
        ("INSERT INTO task VALUES ('extra', 2)", "list b"),
        ("INSERT INTO piece VALUES (99, x'00')", ""),
        ("INSERT INTO long_body VALUES (2, 1, 7, 1, 1); INSERT INTO piece VALUES (1, x'')", ""),
        ("UPDATE answer SET body = x'00'", "response to request k of a"),
        ("UPDATE answer SET expires = expires + 1", "response to request k of a"),
        ("UPDATE answer SET at = 1000", "response to request k of a"),
        ("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'task_by_list'", ""),
    ])
    func aPlantedFaultIsReportedWithItsPlace(damage: String, place: String) throws {
        let found = try faults(after: damage)
        #expect(!found.isEmpty)
        // An empty place stands for the file.
        #expect(found.contains { place.isEmpty ? $0.hasSuffix(".db") : $0 == place }, "\(found)")
    }

    /// The places of the faults in a file with a pruned list, a small one and a deleted one.
    private func faults(after damage: String) throws -> [String] {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            var store = try SQLiteListStore(path: path)
            try store.appendAged("a", 1...200, snapshots: [99, 150])
            try store.pass(olderThan: 100, keepingLast: 0)
            try store.append([.exists("b", 1, count: 1, snapshot: true, inserting: ["t"])])
            try store.append(
                [.exists("c", 1, snapshot: true), .deleted("c", 2)],
                responses: [.to(StoredResponseKey(.list, of: "a", "k"))])
            try store.close()
            try inDatabase(path) { try $0.execute(sql: damage) }
            store = try SQLiteListStore(path: path)
            defer { try? store.close() }
            let places = Mutex<[String]>([])
            try store.verify { place, _ in places.withLock { $0.append(place) } }
            return places.withLock { $0 }
        }
    }
}
