import Dispatch
import Synchronization

/// At most so many connections, each used by one thread at a time, opened when they are needed.
final class ConnectionPool: Sendable {
    private let server: PostgresServer
    private let idle = Mutex<[PostgresConnection]>([])
    private let free: DispatchSemaphore

    init(_ server: PostgresServer, size: Int) {
        self.server = server
        free = DispatchSemaphore(value: size)
    }

    /// Runs `body` with a connection; where all are in use, once one is free.
    func use<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        guard free.wait(timeout: .now() + server.settings.timeoutSeconds) == .success else {
            throw .away(reason: "all connections have been busy for too long")
        }
        defer { free.signal() }
        let connection: PostgresConnection
        if let known = idle.withLock({ $0.popLast() }) {
            connection = known
        } else {
            connection = try server.connect()
        }
        do throws(PostgresError) {
            let value = try body(connection)
            idle.withLock { $0.append(connection) }
            return value
        } catch {
            if error.endsConnection {
                // The others have most likely gone with it.
                idle.withLock { $0 = [] }
            } else {
                idle.withLock { $0.append(connection) }
            }
            throw error
        }
    }

    /// The same, for what may be done again: it is, where that may help at once.
    func retrying<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        for _ in 0..<2 {
            do throws(PostgresError) {
                return try use(body)
            } catch {
                guard error.isPassing else { throw error }
            }
        }
        return try use(body)
    }

    func close() { idle.withLock { $0 = [] } }
}
