import GRDB
import Synchronization

/// A GRDB connection together with its prepared statements.
///
/// `@unchecked Sendable`: `work` is only accessed within the queue's accesses, which are serial.
final class SQLiteConnection<Work>: @unchecked Sendable {
    private let queue: DatabaseQueue
    private var work: Work?

    init(_ queue: DatabaseQueue, preparing prepare: (Statements) throws -> Work) throws {
        self.queue = queue
        work = try queue.inDatabase { try prepare(Statements($0)) }
    }

    /// Runs with exclusive access to the connection, after waiting for the current user.
    ///
    /// - Returns: nil if the connection is closed.
    func use<Value>(_ body: (Work) throws -> Value) throws -> Value? {
        try queue.inDatabase { _ in try work.map(body) }
    }

    /// Waits for the current user, then closes the connection.
    func close() throws {
        // SQLite does not close a connection that still has statements.
        queue.inDatabase { _ in work = nil }
        try queue.close()
    }

    /// Keeps the connection open until the process ends: closing the last connection to a file
    /// would copy the log into the file.
    func abandon() {
        abandonedQueues.withLock { $0.append(queue) }
    }
}

/// Referenced globally, so that leak checkers find them in use.
let abandonedQueues = Mutex<[DatabaseQueue]>([])
