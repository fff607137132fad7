import Dispatch
import ReorderStore
import Synchronization

/// The connections for reading, each lent to one thread at a time.
final class ReaderPool: Sendable {
    typealias Reader = Connection<JournalReader>

    private let idle: Mutex<[Reader]>
    private let count: Int
    /// Counts the idle ones. A thread that waits here waits for a read, never for a commit.
    private let available: DispatchSemaphore
    /// Held while all readers are collected: two who collect at once would wait for each other.
    private let collecting = Mutex(())

    init(_ readers: [Reader]) {
        idle = Mutex(readers)
        count = readers.count
        available = DispatchSemaphore(value: 0)
        for _ in readers {
            available.signal()
        }
    }

    /// Reads in one transaction: all that `body` sees is of one moment.
    ///
    /// - Returns: `nil` where the pool is closed.
    func read<Value>(_ body: (JournalReader) throws -> Value) throws -> Value? {
        available.wait()
        defer { available.signal() }
        guard let reader = idle.withLock({ $0.popLast() }) else { return nil }
        defer { idle.withLock { $0.append(reader) } }
        return try reader.use { journal, database in
            var value: Value?
            try database.inTransaction(.deferred) {
                value = try body(journal)
                return .commit
            }
            return value
        } ?? nil
    }

    /// Runs while nobody reads: waits for the running reads, lets new ones wait.
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

    /// Waits for the running reads and closes all connections.
    func close() throws {
        try withoutReaders {
            for reader in idle.withLock({ $0.exchange([]) }) {
                try reader.close()
            }
        }
    }
}

extension Array {
    /// Puts another value in this one's place and gives this one.
    fileprivate mutating func exchange(_ other: Self) -> Self {
        defer { self = other }
        return self
    }
}
