import Foundation
import Synchronization

extension PostgresConnection {
    /// Opens a connection, for at most as long as the URL says of each of its hosts.
    ///
    /// libpq can't be told to give that up. So it is done on a thread of its own, which is left to itself
    /// where the store is closed meanwhile.
    ///
    /// - Parameter isPipelined: false for a connection that only listens.
    static func open(
        to server: PostgresServer, isPipelined: Bool = true
    ) throws(PostgresError) -> PostgresConnection {
        guard !server.closed.hasHappened else { throw .closed }
        let opening = Opening(isDone: try Latch())
        let thread = Thread {
            let result = Result { () throws(PostgresError) in
                try PostgresConnection(server, isPipelined: isPipelined)
            }
            opening.result.withLock { $0 = result }
            opening.isDone.happen()
        }
        thread.name = "connect"
        thread.start()
        while !server.closed.hasHappened {
            guard opening.isDone.wait(or: server.closed) else { continue }
            if let result = opening.result.withLock({ $0.take() }) { return try result.get() }
        }
        throw .closed
    }

    private final class Opening: Sendable {
        let result = Mutex<Result<PostgresConnection, PostgresError>?>(nil)
        let isDone: Latch

        init(isDone: Latch) { self.isDone = isDone }
    }
}
