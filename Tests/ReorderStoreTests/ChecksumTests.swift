import Foundation
import GRDB
import ReorderStore
import SQLiteStore
import Testing

/// Rows changed by something other than the store.
@Suite
struct ChecksumTests {
    @Test(arguments: [
        ("UPDATE snapshot SET body = x'74'", "list a"),
        ("UPDATE snapshot SET version = version + 1", "list a"),
        ("UPDATE snapshot SET version = 99", "list a"),
        ("UPDATE head SET version = 0, change = 0", "list a"),
        ("UPDATE journal SET body = x'0102' WHERE version = 7", "list a, version 7"),
        ("UPDATE journal SET body = x'' WHERE version = 7", "list a, version 7"),
        (
            "UPDATE journal SET body = CAST(body || x'00' AS BLOB) WHERE version = 7",
            "list a, version 7"
        ),
        ("UPDATE journal SET checksum = checksum + 1 WHERE version = 7", "list a, version 7"),
    ])
    func damagedRowsAreReported(damage: String, place: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            var store = try SQLiteListStore(path: path)
            try store.fill("a", to: 20)
            try store.close()
            try inDatabase(path) { try $0.execute(sql: damage) }
            store = try SQLiteListStore(path: path)
            defer { try? store.close() }
            #expect {
                _ = try store.load("a")
            } throws: { error in
                guard case StoreError.corrupt(let found, _) = error else { return false }
                return found == place
            }
        }
    }
}
