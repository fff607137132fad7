import Dispatch
import Foundation
import Synchronization

/// The server's availability and its connections.
///
/// When a call finds the server unreachable, all further calls fail immediately, and a thread tries
/// to reconnect at increasing intervals. So only the first calls of an outage wait for a time-out.
final class PostgresServer: Sendable {
    let settings: ConnectionSettings
    /// Receives messages for the log.
    let report: @Sendable (String) -> Void
    /// Set when no call may wait for the server any longer.
    let closed: EventFlag
    /// Set while the server is unreachable, so that waiting calls fail.
    let unreachable: EventFlag
    private let state = Mutex(State())
    /// The time at which any connection last received data.
    private let lastActivity = Atomic<UInt64>(0)
    /// The number of open connections.
    let connectionCount = Atomic(0)
    let past = PastCheck()

    private struct State {
        /// Why the server is unreachable; nil if it is reachable.
        var outage: String?
        /// The connection with which the thread reconnected. The first call that needs a connection
        /// gets it, because the server may accept only a few.
        var spare: PostgresConnection?
        /// The connections on which the server is silent, while another one is opened to test them.
        var silent: [(process: Int, hasStalled: CloseFlag)]?
        /// For each commit with an unknown outcome, the time since which the outcome is being
        /// determined, oldest first.
        var resolvingSince: [DispatchTime] = []
        /// Set when the database is found to be another one than the store knows.
        var loss: PastLoss?
        var onLoss: (@Sendable (PastLoss) -> Void)?
    }

    /// - Parameter report: receives messages for the log about outages and their ends.
    init(
        _ settings: ConnectionSettings, report: @escaping @Sendable (String) -> Void
    ) throws(PostgresError) {
        closed = try EventFlag()
        unreachable = try EventFlag()
        self.settings = settings
        self.report = report
    }

    /// Whether calls can succeed. False during an outage, and if the outcome of a commit is unknown
    /// for longer than a moment, because other commits would wait for it.
    var isReachable: Bool {
        state.withLock { state in
            guard state.outage == nil, state.loss == nil else { return false }
            guard let since = state.resolvingSince.first else { return true }
            return since + 1 > .now()
        }
    }

    /// Opens a connection.
    ///
    /// - Parameter isPipelined: false for a connection that only listens.
    /// - Throws: `unreachable` if the server is known to be unreachable, or the store is closed;
    ///   otherwise the error of the connection. The caller then decides whether to call
    ///   `markUnreachable`.
    func connect(isPipelined: Bool = true) throws(PostgresError) -> PostgresConnection {
        if let reason = state.withLock(\.outage) { throw .unreachable(reason: reason) }
        guard isPipelined else { return try .open(to: self, isPipelined: false) }
        if let spare = state.withLock({ $0.spare.take() }) { return spare }
        return try open()
    }

    /// - Parameter isProbe: whether the connection tests whether the server is back.
    private func open(isProbe: Bool = false) throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection.open(to: self)
        connection.isProbe = isProbe
        // Other engines may not support a setting; correctness does not depend on these settings
        // alone.
        for statement in Self.preparation(settings) { _ = try supports(statement, connection) }
        connection.canConfirm = try supports(PostgresConnection.canConfirm, connection)
        connection.process = try connection.run([Self.findProcess()])[0].int(0, 0)
        return connection
    }

    private static let findProcess = Statement("find-process", "SELECT pg_backend_pid()::bigint")

    private func supports(
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
            // Acknowledged commits must be durable. Stricter settings are kept.
            Statement(
                "set-synchronous-commit",
                """
                SELECT set_config('synchronous_commit', 'on', false)
                WHERE current_setting('synchronous_commit') = 'off'
                """),
            // Shorter than the client's own time limit.
            Statement(
                "set-lock-timeout", "SET lock_timeout = '\(Int(settings.timeoutSeconds * 800))ms'"),
            // If this process is suspended or disconnected during a commit, it must not block
            // others with its locks. It determines its commit's outcome afterwards.
            Statement(
                "set-idle-timeout",
                """
                SET idle_in_transaction_session_timeout =
                    '\(max(1_000, Int(settings.timeoutSeconds * 200)))ms'
                """),
            // Rows are looked up by their keys. The planner's estimates must not change that,
            // especially while the tables are new.
            Statement("by-key-1", "SET enable_seqscan = off"),
            Statement("by-key-2", "SET enable_hashjoin = off"),
            Statement("by-key-3", "SET enable_mergejoin = off"),
            Statement("by-key-4", "SET plan_cache_mode = force_generic_plan"),
            Statement("by-key-5", "SET jit = off"),
        ]
    }

    // MARK: Outages

    /// Records that data arrived from the server.
    func recordActivity() {
        lastActivity.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
    }

    /// Whether data has arrived from the server since then.
    func hasActivity(since start: DispatchTime) -> Bool {
        lastActivity.load(ordering: .relaxed) >= start.uptimeNanoseconds
    }

    /// Whether the server has been silent since a request at that time, for more than a moment.
    func isStalled(since start: DispatchTime) -> Bool {
        start + 1 < .now() && !hasActivity(since: start)
    }

    /// Tests a server that has been silent since then on one connection, with another one: a server whose
    /// statements are slow still accepts connections. Returns at once.
    ///
    /// - Parameters:
    ///   - process: the server's process at the other end of the silent connection.
    ///   - hasStalled: set if this process waits for its client. Then what was sent did not arrive: for
    ///     example, a firewall has forgotten the connection, or the process is frozen.
    func test(
        _ process: Int, silentSince start: DispatchTime, withinSeconds seconds: Double,
        _ hasStalled: CloseFlag
    ) {
        let isFirst = state.withLock { state in
            guard state.outage == nil else { return false }
            defer { state.silent = (state.silent ?? []) + [(process, hasStalled)] }
            return state.silent == nil
        }
        guard isFirst else { return }
        let thread = Thread {
            let answer = PostgresConnection.test(self, withinSeconds: seconds)
            if answer == nil, !self.hasActivity(since: start) {
                self.markUnreachable("the server is silent, and accepts no connection")
            }
            let other = try? answer?.get()
            while let (process, hasStalled) = self.takeSilent() {
                if other?.isWaiting(process) == true { hasStalled.set() }
            }
        }
        thread.name = "silence test"
        thread.start()
    }

    private func takeSilent() -> (process: Int, hasStalled: CloseFlag)? {
        state.withLock { state in
            guard state.silent?.isEmpty == false else {
                state.silent = nil
                return nil
            }
            return state.silent?.removeFirst()
        }
    }

    /// Makes all calls fail until the server is reachable again.
    func markUnreachable(_ reason: String) {
        let isNew = state.withLock { state in
            guard state.outage == nil, !closed.isSet else { return false }
            state.outage = reason
            unreachable.set()
            return true
        }
        guard isNew else { return }
        report("PostgreSQL can't be reached: \(reason)")
        let thread = Thread { self.reconnect() }
        thread.name = "reconnect"
        thread.start()
    }

    private func reconnect() {
        var pauseSeconds = 0.05
        while pause(seconds: pauseSeconds) {
            do throws(PostgresError) {
                let connection = try open(isProbe: true)
                connection.isProbe = false
                state.withLock { state in
                    state.outage = nil
                    state.spare = connection
                    unreachable.clear()
                }
                return report("PostgreSQL can be reached again")
            } catch {
                // The reason can change during an outage.
                let reason = error.storeError.reason
                state.withLock { $0.outage = reason }
            }
            // Random, so that servers do not reconnect at the same time.
            pauseSeconds = min(2, pauseSeconds * 2) * Double.random(in: 0.75...1.25)
        }
    }

    // MARK: Losses

    /// Ends all calls, because the database lacks what the store has shown.
    ///
    /// - Returns: the error of the calls.
    func lose(_ loss: PastLoss) -> PostgresError {
        let (isFirst, onLoss) = state.withLock { state in
            defer { state.loss = state.loss ?? loss }
            return (state.loss == nil, state.onLoss)
        }
        closed.set()
        if isFirst, let onLoss { handle(loss, onLoss) }
        return .unreachable(reason: loss.reason)
    }

    /// Calls `body` once, on its own thread, after a loss.
    func whenLost(_ body: @escaping @Sendable (PastLoss) -> Void) {
        let loss = state.withLock { state in
            state.onLoss = body
            return state.loss
        }
        if let loss { handle(loss, body) }
    }

    private func handle(_ loss: PastLoss, _ body: @escaping @Sendable (PastLoss) -> Void) {
        let thread = Thread { body(loss) }
        thread.name = "rewind"
        thread.start()
    }

    // MARK: Outcomes

    /// Runs `body`, which determines the outcome of a commit.
    ///
    /// - Parameter delaysOthers: whether other commits wait for it.
    func resolving<Value>(
        delaysOthers: Bool, _ body: () throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        guard delaysOthers else { return try body() }
        let start = DispatchTime.now()
        state.withLock { $0.resolvingSince.append(start) }
        defer {
            state.withLock { state in
                if let index = state.resolvingSince.firstIndex(of: start) {
                    state.resolvingSince.remove(at: index)
                }
            }
        }
        return try body()
    }

    /// Waits, for example for an unreachable server to return.
    ///
    /// - Returns: false if the store is closed.
    func pause(seconds: Double) -> Bool { !closed.wait(seconds: seconds) }

    /// After this many seconds no call waits for the server any longer.
    func prepareToClose(inSeconds seconds: Double) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [closed] in
            closed.set()
        }
    }

    func close() {
        closed.set()
        state.withLock { $0.spare = nil }
    }
}
