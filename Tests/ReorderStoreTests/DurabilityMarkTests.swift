import Foundation
import ReorderStore
import SQLiteStore
import Testing

@Suite
struct DurabilityMarkTests {
    @Test(arguments: [0, 1, 4096, 40_000])
    func aFileWhoseLogLostChangesIsRefusedAndNotChanged(lostBytes: Int) throws {
        try withCrashedStore { path in
            let log = URL(fileURLWithPath: path + "-wal")
            var bytes = try Data(contentsOf: log)
            if lostBytes == 0 {
                // Flips a bit in the header, so that SQLite treats the log as empty.
                bytes[8] ^= 1
            } else {
                bytes.removeLast(lostBytes)
            }
            try bytes.write(to: log)
            let error = #expect(throws: StoreError.self) { _ = try SQLiteListStore(path: path) }
            guard case .refused(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("change 100 was stored"))
            try #expect(Data(contentsOf: log) == bytes)
        }
    }

    @Test func withoutTheMarkTheRemainingChangesAreServed() throws {
        try withCrashedStore { path in
            let log = URL(fileURLWithPath: path + "-wal")
            try Data(contentsOf: log).dropLast(40_000).write(to: log)
            try FileManager.default.removeItem(atPath: path + "-mark")
            let store = try SQLiteListStore(path: path)
            defer { try? store.close() }
            let version = try #require(try store.load("a")?.version)
            #expect((1..<100).contains(version))
        }
    }

    @Test func aCrashLosesNothingAndIsNotRefused() throws {
        try withCrashedStore { path in
            let store = try SQLiteListStore(path: path)
            try #expect(store.load("a")?.version == 100)
            try store.close()
        }
    }

    @Test func theMarkIsRemovedWithTheLog() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let store = try SQLiteListStore(path: path)
            try store.fill("a", to: 3)
            #expect(FileManager.default.fileExists(atPath: path + "-mark"))
            try store.close()
            #expect(!FileManager.default.fileExists(atPath: path + "-mark"))
        }
    }

    /// A file as a crash leaves it: copied while a store has it open.
    private func withCrashedStore(_ body: (_ path: String) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let open = directory.appendingPathComponent("open.db").path
            let crashed = directory.appendingPathComponent("crashed.db").path
            let store = try SQLiteListStore(path: open)
            defer { try? store.close() }
            try store.fill("a", to: 100, batch: 1)
            for suffix in ["", "-wal", "-mark"] {
                try FileManager.default.copyItem(atPath: open + suffix, toPath: crashed + suffix)
            }
            try body(crashed)
        }
    }
}
