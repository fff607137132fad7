import Foundation
import Synchronization

extension PostgresConnection {
    /// Opens a connection, for at most the time that the URL sets for each of its hosts.
    ///
    /// libpq can't cancel an attempt to connect. So the attempt runs on a separate thread, which is
    /// abandoned if the store is closed meanwhile.
    ///
    /// - Parameter isPipelined: false for a connection that only listens.
    static func open(
        to server: PostgresServer, isPipelined: Bool = true
    ) throws(PostgresError) -> PostgresConnection {
        guard !server.closed.isSet else { throw .closed }
        let opening = try begin(server, isPipelined)
        while !server.closed.isSet {
            guard opening.isDone.wait(or: server.closed) else { continue }
            if let result = opening.result.withLock({ $0.take() }) { return try result.get() }
        }
        throw .closed
    }

    /// Opens a connection that tests the server; nil if the server neither accepts nor refuses it in a time.
    static func test(
        _ server: PostgresServer, withinSeconds seconds: Double
    ) -> Result<PostgresConnection, PostgresError>? {
        do throws(PostgresError) {
            let opening = try begin(server, true)
            // In steps, because this process itself may be suspended meanwhile.
            for _ in 0..<10 {
                opening.isDone.wait(seconds: seconds / 10, or: server.closed)
                if server.closed.isSet { return .failure(.closed) }
                guard let result = opening.result.withLock({ $0.take() }) else { continue }
                if case .success(let connection) = result { connection.isProbe = true }
                return result
            }
            return nil
        } catch {
            return .failure(error)
        }
    }

    private static func begin(
        _ server: PostgresServer, _ isPipelined: Bool
    ) throws(PostgresError) -> Opening {
        let opening = Opening(isDone: try EventFlag())
        let thread = Thread {
            let result = Result { () throws(PostgresError) in
                try PostgresConnection(server, isPipelined: isPipelined)
            }
            opening.result.withLock { $0 = result }
            opening.isDone.set()
        }
        thread.name = "connect"
        thread.start()
        return opening
    }

    private final class Opening: Sendable {
        let result = Mutex<Result<PostgresConnection, PostgresError>?>(nil)
        let isDone: EventFlag

        init(isDone: EventFlag) { self.isDone = isDone }
    }
}
