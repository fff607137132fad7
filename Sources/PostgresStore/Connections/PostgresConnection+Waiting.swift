import CPostgres
import Foundation

extension PostgresConnection {
    /// Waits for something that the server must do, and tests whether a silent server, or the way to it, has
    /// stalled.
    ///
    /// - Throws: `disconnected` if only this connection has stalled; see also `wait`.
    func waitForServer(
        for events: Int32, until deadline: DispatchTime
    ) throws(PostgresError) -> Bool {
        guard let stallSeconds = server.settings.stallSeconds, !isProbe else {
            return try wait(for: events, until: deadline)
        }
        let hasStalled = CloseFlag()
        while true {
            let start = DispatchTime.now()
            let end = min(deadline, start + stallSeconds / 2)
            if try wait(for: events, until: end) { return true }
            if end == deadline { return false }
            // A server that still receives a long statement waits for it, too.
            if hasStalled.isSet, sentBytes < Self.shortBytes {
                cancel()
                throw .disconnected(reason: "the connection has stalled")
            }
            server.test(
                process, silentSince: start, withinSeconds: stallSeconds / 2, hasStalled)
        }
    }

    private static let shortBytes = 64 << 10

    /// Whether a process of the server waits for its client. false if that is unknown.
    func isWaiting(_ process: Int) -> Bool {
        let rows = try? run([Self.findWaiting(.int(process))])
        return rows?.first.map { $0.count > 0 } ?? false
    }

    private static let findWaiting = Statement(
        "find-waiting",
        "SELECT pid FROM pg_stat_activity WHERE pid = $1::bigint AND state LIKE 'idle%'")

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
