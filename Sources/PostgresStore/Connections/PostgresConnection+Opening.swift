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

    /// Whether the server accepts or refuses another connection in a time.
    static func canReach(_ server: PostgresServer, withinSeconds seconds: Double) -> Bool {
        guard let opening = try? begin(server, false) else { return true }
        // In steps, because this process itself may be suspended meanwhile.
        for _ in 0..<10 {
            if opening.isDone.wait(seconds: seconds / 10, or: server.closed) { return true }
            if server.closed.isSet { return true }
        }
        return false
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
