import GRDB
import Synchronization

/// A connection of GRDB together with what is prepared on it.
///
/// `@unchecked Sendable`: `work` is only touched inside the queue's accesses, which are serial.
final class Connection<Work>: @unchecked Sendable {
    private let queue: DatabaseQueue
    private var work: Work?

    init(_ queue: DatabaseQueue, preparing prepare: (Database) throws -> Work) throws {
        self.queue = queue
        work = try queue.inDatabase(prepare)
    }

    /// Runs with the connection to itself; waits for whoever has it.
    ///
    /// - Returns: `nil` where the connection is closed.
    func use<Value>(_ body: (Work, Database) throws -> Value) throws -> Value? {
        try queue.inDatabase { database in
            guard let work else { return nil }
            return try body(work, database)
        }
    }

    /// Waits for the running use and closes.
    func close() throws {
        // SQLite does not close a connection that still has statements.
        queue.inDatabase { _ in work = nil }
        try queue.close()
    }

    /// Never closes: closing the last connection to a file copies the log into it.
    func abandon() {
        abandoned.withLock { $0.append(queue) }
    }
}

/// Kept as long as the process lives, where a search for leaks finds them in use.
private let abandoned = Mutex<[DatabaseQueue]>([])
