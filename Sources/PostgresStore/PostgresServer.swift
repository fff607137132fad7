import Dispatch
import Foundation
import Synchronization

/// The server, as far as it can be reached.
///
/// Whoever finds out that it can't be tells: from then on everybody is refused at once, and a thread
/// tries again, ever more seldom, until it can be. So an outage costs nobody a time-out but the first.
final class PostgresServer: Sendable {
    let settings: ConnectionSettings
    /// Takes what goes to the log.
    let tell: @Sendable (String) -> Void
    /// That nobody is to wait for the server any longer.
    let closed: Latch
    /// That it can't be reached, so that nobody waits on.
    let left: Latch
    private let state = Mutex(State())
    /// When anything came from it, over whichever connection.
    private let lastHeard = Atomic<UInt64>(0)

    private struct State {
        /// Why it can't be reached; `nil` where it can be.
        var away: String?
        /// The connection over which it was found to be back, for the first who wants one: so nobody else
        /// takes it where there are few.
        var spare: PostgresConnection?
        /// Since when somebody has been finding out how a commit ended; `nil` where nobody is.
        var resolvingSince: DispatchTime?
    }

    /// - Parameter tell: told of the server's leaving and coming back, for the log.
    init(
        _ settings: ConnectionSettings, tell: @escaping @Sendable (String) -> Void
    ) throws(PostgresError) {
        closed = try Latch()
        left = try Latch()
        self.settings = settings
        self.tell = tell
    }

    /// Whether anything can be done. Where the end of a commit is unknown for longer than a moment, no
    /// other can be made, as it would wait for that one.
    var isReachable: Bool {
        state.withLock { state in
            guard state.away == nil else { return false }
            guard let since = state.resolvingSince else { return true }
            return since + 1 > .now()
        }
    }

    /// Opens a connection.
    ///
    /// - Parameter isPipelined: false for a connection that only listens.
    /// - Throws: `away` where that is known, or the store is closed; or why the server can't be reached,
    ///   or does not want to be: whoever finds out knows which, and tells `leave`.
    func connect(isPipelined: Bool = true) throws(PostgresError) -> PostgresConnection {
        if let reason = state.withLock(\.away) { throw .away(reason: reason) }
        guard isPipelined else { return try .open(to: self, isPipelined: false) }
        if let spare = state.withLock({ $0.spare.take() }) { return spare }
        return try open()
    }

    /// - Parameter isProbe: to find out whether the server is back.
    private func open(isProbe: Bool = false) throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection.open(to: self)
        connection.isProbe = isProbe
        // A server of another make may not know a setting; nothing depends on these alone.
        for statement in Self.preparation(settings) { _ = try knows(statement, connection) }
        connection.canConfirm = try knows(PostgresConnection.canConfirm, connection)
        return connection
    }

    private func knows(
        _ statement: Statement, _ connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            try connection.run([statement()])
            return true
        } catch {
            if error.endsConnection { throw error }
            return false
        }
    }

    private static func preparation(_ settings: ConnectionSettings) -> [Statement] {
        [
            // What is acknowledged is durable. Stricter settings stay.
            Statement(
                "durable",
                """
                SELECT set_config('synchronous_commit', 'on', false)
                WHERE current_setting('synchronous_commit') = 'off'
                """),
            // Before whoever asked gives the connection up.
            Statement(
                "patience", "SET lock_timeout = '\(Int(settings.timeoutSeconds * 800))ms'"),
            // One that stands still in the middle of a commit, or is cut off, must not keep the others from
            // what it has locked. It finds out what became of its commit.
            Statement(
                "no-standstill",
                """
                SET idle_in_transaction_session_timeout =
                    '\(max(1_000, Int(settings.timeoutSeconds * 200)))ms'
                """),
            // Rows are asked for by their keys. What is guessed of the tables' sizes must not change
            // that, least of all while they are new.
            Statement("by-key-1", "SET enable_seqscan = off"),
            Statement("by-key-2", "SET enable_hashjoin = off"),
            Statement("by-key-3", "SET enable_mergejoin = off"),
            Statement("by-key-4", "SET plan_cache_mode = force_generic_plan"),
            Statement("by-key-5", "SET jit = off"),
        ]
    }

    // MARK: Leaving and coming back

    /// Something came from the server.
    func hear() { lastHeard.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed) }

    /// Whether anything has come from the server since then.
    func wasHeard(since start: DispatchTime) -> Bool {
        lastHeard.load(ordering: .relaxed) >= start.uptimeNanoseconds
    }

    /// Whether the server has kept silent for a while, though it was asked for something then.
    func standsStill(since start: DispatchTime) -> Bool {
        start + 1 < .now() && !wasHeard(since: start)
    }

    /// The server can't be reached: everybody is refused until it can be.
    func leave(_ reason: String) {
        let isNew = state.withLock { state in
            guard state.away == nil, !closed.hasHappened else { return false }
            state.away = reason
            left.happen()
            return true
        }
        guard isNew else { return }
        tell("PostgreSQL can't be reached: \(reason)")
        let thread = Thread { self.comeBack() }
        thread.name = "reconnect"
        thread.start()
    }

    private func comeBack() {
        var pauseSeconds = 0.05
        while pause(seconds: pauseSeconds) {
            if let connection = try? open(isProbe: true) {
                connection.isProbe = false
                state.withLock { state in
                    state.away = nil
                    state.spare = connection
                    left.takeBack()
                }
                return tell("PostgreSQL can be reached again")
            }
            // Not all servers at the same moments.
            pauseSeconds = min(2, pauseSeconds * 2) * Double.random(in: 0.75...1.25)
        }
    }

    /// Runs `body`, which finds out how a commit ended; one at a time.
    func resolving<Value>(_ body: () throws(PostgresError) -> Value) throws(PostgresError) -> Value
    {
        state.withLock { $0.resolvingSince = .now() }
        defer { state.withLock { $0.resolvingSince = nil } }
        return try body()
    }

    /// Waits a moment, for a server that was away to come back.
    ///
    /// - Returns: false where the store is closed.
    func pause(seconds: Double) -> Bool { !closed.wait(seconds: seconds) }

    /// After so many seconds nobody waits for the server any longer, whatever for.
    func prepareToClose(inSeconds seconds: Double) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [closed] in
            closed.happen()
        }
    }

    func close() {
        closed.happen()
        state.withLock { $0.spare = nil }
    }
}
