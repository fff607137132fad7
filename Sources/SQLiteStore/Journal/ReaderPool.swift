import Dispatch
import ReorderStore
import Synchronization

/// The connections for reading, each used by one thread at a time.
final class ReaderPool: Sendable {
    typealias Reader = SQLiteConnection<SQLiteJournalReader>

    private let idle: Mutex<[Reader]>
    private let count: Int
    /// Counts the idle readers. A thread waits here for other reads, never for a commit.
    private let available: DispatchSemaphore
    /// Held while all readers are collected, because two concurrent collectors would deadlock.
    private let collecting = Mutex(())

    init(_ readers: [Reader]) {
        idle = Mutex(readers)
        count = readers.count
        available = DispatchSemaphore(value: 0)
        for _ in readers {
            available.signal()
        }
    }

    /// Reads in one transaction: `body` sees the state of one moment.
    ///
    /// - Returns: nil if the pool is closed.
    func read<Value>(_ body: (SQLiteJournalReader) throws -> Value) throws -> Value? {
        available.wait()
        defer { available.signal() }
        guard let reader = idle.withLock({ $0.popLast() }) else { return nil }
        defer { idle.withLock { $0.append(reader) } }
        return try reader.use { journal in
            try journal.sql.inTransaction("BEGIN") { try body(journal) }
        }
    }

    /// Runs without concurrent reads: waits for current ones, and delays new ones.
    func withoutReaders<Value>(_ body: () throws -> Value) rethrows -> Value {
        try collecting.withLock { _ in
            for _ in 0..<count {
                available.wait()
            }
            defer {
                for _ in 0..<count {
                    available.signal()
                }
            }
            return try body()
        }
    }

    /// Waits for the current reads, then closes all connections.
    func close() throws {
        try withoutReaders {
            while let reader = idle.withLock({ $0.popLast() }) { try reader.close() }
        }
    }
}
