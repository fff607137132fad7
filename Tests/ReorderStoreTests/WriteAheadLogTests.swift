import Foundation
import GRDB
import ReorderStore
import SQLiteStore
import Synchronization
import Testing
import Waiting

@Suite
struct WriteAheadLogTests {
    @Test func aLongReadBlocksNoCommitAndTheLogShrinksAfterwards() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let bound = 1 << 20
            let store = try SQLiteListStore(path: path, logBytes: bound)
            defer { try? store.close() }
            let body = [UInt8](repeating: 1, count: 100_000)
            func append(_ versions: ClosedRange<Int>) throws {
                for version in versions {
                    try store.append([
                        ListCommit(
                            list: "a", version: version, at: 0, change: body, snapshot: [],
                            stateAfter: .exists(title: "", count: 0, open: 0))
                    ])
                }
            }
            try append(1...1)
            let outside = try DatabaseQueue(path: path)
            try outside.inDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
            try outside.inTransaction(.deferred) { database in
                _ = try Int.fetchOne(database, sql: "SELECT max(change) FROM journal")
                try append(2...60)
                try #expect(logBytes(of: path) > 5 * bound)
                try #expect(Int.fetchOne(database, sql: "SELECT max(change) FROM journal") == 1)
                return .commit
            }
            try outside.close()
            // More than the growth that the log needs before the next attempt.
            try append(61...120)
            try #expect(logBytes(of: path) <= 2 * bound)
            try #expect(store.load("a")?.version == 120)
        }
    }

    @Test func theLogStaysBoundedUnderContinuousReads() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let bound = 1 << 20
            let store = try SQLiteListStore(path: path, readers: 2, logBytes: bound)
            defer { try? store.close() }
            let body = [UInt8](repeating: 1, count: 100_000)
            try store.append([.exists("a", 1, snapshot: true)])
            let isWriting = Atomic(true)
            let readers = (0..<3).map { _ in
                Background {
                    while isWriting.load(ordering: .relaxed) { _ = try? store.load("a") }
                }
            }
            var longest = 0
            for version in 2...200 {
                try store.append([
                    ListCommit(
                        list: "a", version: version, at: 0, change: body,
                        snapshot: version.isMultiple(of: 10) ? body : nil,
                        stateAfter: .exists(title: "", count: 0, open: 0))
                ])
                longest = max(longest, try logBytes(of: path))
            }
            isWriting.store(false, ordering: .relaxed)
            for reader in readers { try reader.wait() }
            #expect(longest <= 2 * bound)
        }
    }

    /// A server that no client uses still keeps its time, for years.
    @Test func theLogStaysBoundedWithoutCommits() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let bound = 1 << 16
            let store = try SQLiteListStore(path: path, readers: 1, logBytes: bound)
            defer { try? store.close() }
            for hour in 1...200 { try store.keep(trustedTime: Int64(hour) * 3_600_000) }
            try #expect(logBytes(of: path) <= 2 * bound)
        }
    }

    private func logBytes(of path: String) throws -> Int {
        try URL(fileURLWithPath: path + "-wal").resourceValues(forKeys: [.fileSizeKey]).fileSize
            ?? 0
    }
}
