import Dispatch
import ReorderStore

/// Executes one append until its outcome is known.
///
/// If the connection is lost during a commit, the transaction may be committed, still running, or
/// lost. So the next attempt first locks the same rows, which waits for the transaction to end, and
/// then looks for its changes.
struct AppendOperation {
    private let groups: [CommitGroup]
    private let server: PostgresServer
    private let pool: ConnectionPool
    private let locking: FeatureFallback
    private let notifies: Bool
    private let outcomeSeconds: Double
    /// Identifies this append's changes: the first change has this number, the others have the
    /// numbers after it.
    private let commitID = Int.random(in: 0..<Int.max / maximumCommits) * maximumCommits
    /// The transaction whose commit was sent, while its outcome is unknown.
    private var sent: AppendPlan?

    /// Greater than the number of commits in any append.
    static let maximumCommits = 1 << 24

    /// - Parameters:
    ///   - notifies: whether other servers are notified of the commits.
    ///   - outcomeSeconds: the time limit for determining the outcome of an interrupted commit.
    init(
        _ groups: [CommitGroup], to server: PostgresServer, over pool: ConnectionPool,
        _ locking: FeatureFallback, notifies: Bool, outcomeSeconds: Double
    ) {
        self.groups = groups
        self.server = server
        self.pool = pool
        self.locking = locking
        self.notifies = notifies
        self.outcomeSeconds = outcomeSeconds
    }

    /// Executes the append.
    ///
    /// - Returns: for each group the reason why it was not written, or nil.
    mutating func run(whileUnknown: () -> Void) throws(StoreError) -> [StoreError?] {
        let deadline = DispatchTime.now() + server.settings.timeoutSeconds
        for _ in 0..<Self.maximumAttempts where DispatchTime.now() < deadline {
            do throws(PostgresError) {
                return try attempt()
            } catch {
                if sent != nil { return try resolve(after: error, whileUnknown) }
                guard error.isTransient else { throw error.storeError }
            }
        }
        throw .unavailable(
            reason:
                "other servers wrote the same data first each time, or hold its locks")
    }

    /// An attempt fails if another server writes the same lists, tasks or responses concurrently.
    /// Each time, one of the servers succeeds.
    private static let maximumAttempts = 20

    /// Whether the commits of other lists do not wait for this append.
    private var isLarge: Bool {
        let large = LargeCommit()
        return groups.contains { $0.commits.contains { large.isExceeded(by: $0) } }
            || large.ofAppend.isExceeded(by: groups.flatMap(\.commits))
    }

    /// An append with one statement for each table has fewer statements than this.
    private static let callsAtOnce = 12

    /// Waits until the outcome can be determined, because callers need a definite result.
    private mutating func resolve(
        after error: PostgresError, _ whileUnknown: () -> Void
    ) throws(StoreError) -> [StoreError?] {
        var last = error
        let deadline = DispatchTime.now() + outcomeSeconds
        do throws(PostgresError) {
            return try server.resolving(delaysOthers: !isLarge) { () throws(PostgresError) in
                while DispatchTime.now() < deadline, server.pause(seconds: Self.pauseSeconds) {
                    whileUnknown()
                    do throws(PostgresError) {
                        return try attempt()
                    } catch {
                        last = error
                        // The outcome is known: the transaction was not committed.
                        if sent == nil, !error.isTransient { throw error }
                    }
                }
                throw last
            }
        } catch {
            guard sent == nil else {
                throw .unknown(
                    reason: "the outcome of a commit is unknown: \(error.storeError.reason)")
            }
            throw error.storeError
        }
    }

    private static let pauseSeconds = 0.02

    private mutating func attempt() throws(PostgresError) -> [StoreError?] {
        try pool.use(for: .committing) { connection throws(PostgresError) in
            try transact(over: connection)
        }
    }

    private mutating func transact(
        over connection: PostgresConnection
    ) throws(PostgresError) -> [StoreError?] {
        let stored = try locking.using { eachAlone throws(PostgresError) in
            try LockedState(
                for: groups, commitIDs: commitID..<commitID + Self.maximumCommits,
                isRetry: sent != nil, eachAlone: eachAlone, over: connection)
        }
        if let sent, try isWritten(sent, stored, over: connection) {
            // The row locks make this transaction a write. When it is durable, the earlier
            // transaction is durable too. Responses alone lock no rows.
            if sent.commits.isEmpty { try connection.confirm() }
            try commit(over: connection)
            // Sees the position of the commit. It is stored, whatever the database does now.
            try? connection.confirm()
            return sent.refusals
        }
        let admission = AppendPlan(groups, to: stored)
        guard !admission.commits.isEmpty || !admission.responses.isEmpty else {
            try connection.run([Statement.rollback()])
            sent = nil
            return admission.refusals
        }
        let (calls, expected) = PostgresJournalWriter.calls(
            for: admission, commitID: commitID, notifies: notifies)
        let isDivided = calls.count > Self.callsAtOnce || calls.contains { $0.isCopied }
        guard expected.isEmpty, !isDivided else {
            // Each statement of a large append has its own time limit.
            var results: [ResultRows] = []
            if isDivided {
                for call in calls {
                    results +=
                        call.isCopied ? [try connection.copy(call)] : try connection.run([call])
                }
            } else {
                results = try connection.run(calls)
            }
            for (index, count) in expected where results[index].changedCount != count {
                try connection.run([Statement.rollback()])
                throw .refused(state: "40001", message: "another server committed first")
            }
            sent = admission
            try commit(over: connection)
            see(results, of: calls, admission, over: connection)
            return admission.refusals
        }
        sent = admission
        let results = try commit(after: calls, over: connection)
        see(results, of: calls, admission, over: connection)
        return admission.refusals
    }

    /// Remembers the last change of a commit, which is durable.
    private func see(
        _ results: [ResultRows], of calls: [BoundStatement], _ admission: AppendPlan,
        over connection: PostgresConnection
    ) {
        guard let last = admission.commits.last,
            let position = PostgresJournalWriter.lastPosition(results, of: calls)
        else { return }
        connection.past.see(
            JournalMark(
                position: position, number: commitID + admission.commits.count - 1,
                list: last.list, version: last.version))
    }

    @discardableResult private mutating func commit(
        after calls: [BoundStatement] = [], over connection: PostgresConnection
    ) throws(PostgresError) -> [ResultRows] {
        let results: [ResultRows]
        do throws(PostgresError) {
            results = try connection.run(calls + [Statement.commit()])
            guard results.last?.tag == "COMMIT" else {
                throw .refused(state: "25P02", message: "the transaction was not committed")
            }
        } catch {
            // A transaction that the server refused is not committed, unless the server closed the
            // connection at the same time.
            if !error.endsConnection { sent = nil }
            throw error
        }
        // For example, a cancelled wait for the synchronous standby.
        guard !connection.hasWarned else {
            throw .disconnected(reason: "the server issued a warning for the commit")
        }
        return results
    }

    /// Whether the earlier transaction was committed.
    private func isWritten(
        _ sent: AppendPlan, _ stored: LockedState, over connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        guard !sent.commits.isEmpty else { return stored.holds(sent.responses.values) }
        if stored.writtenCount > 0 { return true }
        for commit in sent.commits {
            if let list = stored.lists[commit.list], list.forgotten >= commit.version {
                try connection.run([Statement.rollback()])
                throw .corrupt(
                    place: "list \(commit.list), version \(commit.version)",
                    reason:
                        "the server can't find out whether the change was stored, because it "
                        + "has been pruned")
            }
        }
        return false
    }
}
