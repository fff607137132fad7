import Dispatch
import Foundation
import Synchronization

/// The server, as far as it can be reached.
///
/// Whoever finds out that it can't be tells: from then on everybody is refused at once, and a thread
/// tries again, ever more seldom, until it can be. So an outage costs nobody a time-out but the first.
final class PostgresServer: Sendable {
    let settings: ConnectionSettings
    private let tell: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let closing = DispatchSemaphore(value: 0)

    private struct State {
        /// Why it can't be reached; `nil` where it can be.
        var away: String?
        var isClosing = false
        /// Since when somebody has been finding out how a commit ended; `nil` where nobody is.
        var resolvingSince: DispatchTime?
    }

    /// - Parameter tell: told of the server's leaving and coming back, for the log.
    init(_ settings: ConnectionSettings, tell: @escaping @Sendable (String) -> Void) {
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

    /// Opens a connection, or throws `away`.
    func connect() throws(PostgresError) -> PostgresConnection {
        try reach { () throws(PostgresError) in try open() }
    }

    /// Opens a connection that hears what others tell, or throws `away`. It is the one that is open also while
    /// nobody asks for anything: where it is cut, it is known that the server has gone.
    func connectToListen() throws(PostgresError) -> PostgresConnection {
        try reach { () throws(PostgresError) in
            try PostgresConnection(settings, isPipelined: false)
        }
    }

    private func reach(
        _ open: () throws(PostgresError) -> PostgresConnection
    ) throws(PostgresError) -> PostgresConnection {
        if let reason = state.withLock(\.away) { throw .away(reason: reason) }
        do throws(PostgresError) {
            return try open()
        } catch {
            let reason = error.storeError.reason
            leave(reason)
            throw .away(reason: reason)
        }
    }

    private func open() throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection(settings)
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
            // Whoever asked is gone by then.
            Statement(
                "patience", "SET lock_timeout = '\(Int(settings.timeoutSeconds * 1_000))ms'"),
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

    private func leave(_ reason: String) {
        let isNew = state.withLock { state in
            guard state.away == nil, !state.isClosing else { return false }
            state.away = reason
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
        while closing.wait(timeout: .now() + pauseSeconds) == .timedOut {
            if (try? open()) != nil {
                state.withLock { $0.away = nil }
                return tell("PostgreSQL can be reached again")
            }
            // Not all servers at the same moments.
            pauseSeconds = min(2, pauseSeconds * 2) * Double.random(in: 0.75...1.25)
        }
        closing.signal()
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
    /// - Returns: false where the store is being closed.
    func pause(seconds: Double) -> Bool {
        guard closing.wait(timeout: .now() + seconds) == .success else { return true }
        closing.signal()
        return false
    }

    /// From now on nobody waits for a server that is away.
    func prepareToClose() {
        let isNew = state.withLock { state in
            defer { state.isClosing = true }
            return !state.isClosing
        }
        // Whoever takes the signal gives it on.
        if isNew { closing.signal() }
    }
}
