import Foundation
import ReorderStore
import SQLiteStore
import Testing

/// Reads of many lists, of which one has a damaged part.
@Suite struct DamagedChangeTests {
    private func withDamage(_ sql: String, _ body: (any ListStore) throws -> Void) throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.appendingPathComponent("lists.db").path
            let first = try SQLiteListStore(path: path)
            try first.append([
                .exists("a", 1, snapshot: true), .exists("b", 1, snapshot: true),
                .exists("a", 2, snapshot: true), .exists("b", 2),
            ])
            try first.close()
            try inDatabase(path) { try $0.execute(sql: sql) }
            let store = try SQLiteListStore(path: path)
            try body(store)
            try store.close()
        }
    }

    @Test func theJournalNamesADamagedChange() throws {
        try withDamage("UPDATE journal SET checksum = 0 WHERE list = 1 AND version = 1") {
            let journal = try #require(try $0.journal(after: 0, limit: 9))
            #expect(journal.map(\.list) == ["a", "b", "a", "b"])
            #expect(journal.map(\.isUnreadable) == [true, false, false, false])
            #expect(journal.allSatisfy { !$0.isHidden })
            #expect(journal[1].change == StoredChange.expected("b", 1...1)[0])
        }
    }

    @Test func aSnapshotBesideADamagedOneCanBeRead() throws {
        try withDamage("UPDATE snapshot SET checksum = 0 WHERE list = 1 AND version = 2") { store in
            #expect(throws: StoreError.self) { try store.snapshots(of: "a") }
            try #expect(store.validSnapshots(of: "a").map(\.version) == [1])
            try #expect(store.validSnapshots(of: "b").map(\.version) == [1])
            try #expect(
                store.head(of: "a")
                    == ListHead(list: "a", version: 2, exists: true, position: 3))
            try #expect(store.head(of: "c") == nil)
        }
    }
}
