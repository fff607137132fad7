import CPostgres
import Foundation

extension PostgresConnection {
    /// Waits for something that the server must do, and tests whether a silent server has stalled.
    func waitForServer(
        for events: Int32, until deadline: DispatchTime
    ) throws(PostgresError) -> Bool {
        guard let stallSeconds = server.settings.stallSeconds, !isProbe else {
            return try wait(for: events, until: deadline)
        }
        while true {
            let start = DispatchTime.now()
            let end = min(deadline, start + stallSeconds / 2)
            if try wait(for: events, until: end) { return true }
            if end == deadline { return false }
            server.test(silentSince: start, withinSeconds: stallSeconds / 2)
        }
    }

    /// - Returns: whether the event occurred before the deadline.
    /// - Throws: `disconnected` if the store is closed meanwhile, `timedOut` if the server is found
    ///   unreachable.
    func wait(for events: Int32, until deadline: DispatchTime) throws(PostgresError) -> Bool {
        var descriptors = [
            pollfd(PQsocket(connection), events), pollfd(server.closed.descriptor),
            pollfd(isProbe ? -1 : server.unreachable.descriptor),
        ]
        guard try pollfd.wait(for: &descriptors, until: deadline) else { return false }
        guard descriptors[0].revents == 0 else { return true }
        guard descriptors[1].revents == 0 else {
            throw .disconnected(reason: "the store is closed")
        }
        throw .timedOut(reason: "the server is unreachable")
    }
}
