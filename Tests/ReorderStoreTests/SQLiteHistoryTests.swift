import Foundation
import GRDB
import ReorderStore
import SQLiteStore
import Testing

/// Pruning in the SQLite store.
@Suite
struct SQLiteHistoryTests {
    @Test func retainedChangesAreNotRead() throws {
        try withStore { store, path in
            try store.appendAged("a", 1...300, snapshots: [300])
            try store.appendAged("b", 1...300, snapshots: [299, 300])
            // Reading one of the deleted rows would fail.
            try inDatabase(path) { try $0.execute(sql: "DELETE FROM journal WHERE list = 1") }
            for _ in 0..<2 { try store.pass(olderThan: 1, keepingLast: 0) }
            for _ in 0..<2 { try store.pass(olderThan: .max, keepingLast: 300) }
            try store.pass(olderThan: 200, keepingLast: 300)
            #expect(throws: StoreError.self) { try store.pass(olderThan: 2, keepingLast: 0) }
        }
    }

    @Test func aDamagedListDoesNotPreventPruningOthers() throws {
        try withStore { store, path in
            for list in ["a", "b", "c"] {
                try store.appendAged(list, 1...200, snapshots: [199, 200])
            }
            try inDatabase(path) {
                try $0.execute(sql: "DELETE FROM journal WHERE list = 2 AND version = 30")
            }
            var damages = 0
            var goesOn = true
            while goesOn {
                do throws(StoreError) {
                    goesOn = try store.pruneChanges(olderThan: .max, keepingLast: 0, limit: 50)
                } catch {
                    guard case .corrupt("list number 2, version 30", _) = error else { throw error }
                    damages += 1
                }
            }
            #expect(damages == 1)
            for list in ["a", "c"] {
                try #expect(store.keptVersions(of: list) == [200])
            }
        }
    }

    @Test func freePagesAreReused() throws {
        try withStore { store, path in
            var pages: [Int] = []
            for round in 0..<6 {
                let first = round * 1_000 + 1
                try store.appendAged(
                    "a", first...first + 999, snapshots: [first + 998, first + 999])
                try store.pass(olderThan: .max, keepingLast: 0)
                try inDatabase(path) {
                    pages.append(try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0)
                }
            }
            #expect(pages[5] <= pages[1] + 2, "\(pages)")
        }
    }

    @Test func afterAPassTheFileIsSound() throws {
        try withStore { store, _ in
            for list in 0..<20 {
                try store.appendAged("list-\(list)", 1...150, snapshots: [100 + list, 140])
            }
            try store.append([.deleted("list-3", 151)])
            try store.pass(olderThan: 120, keepingLast: 20, limit: 37)
            try store.verify { place, reason in Issue.record("\(place): \(reason)") }
        }
    }

    private func withStore(_ body: (SQLiteListStore, _ path: String) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let store = try SQLiteListStore(path: path)
            defer { try? store.close() }
            try body(store, path)
        }
    }
}
