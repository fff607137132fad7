import Dispatch
import ReorderStore

/// One append, until it is known what became of it.
///
/// A transaction whose commit was cut off may have been carried out, or may still be. So the next try
/// first locks the same rows, which waits for it to end, and then looks for what it wrote.
struct Append {
    private let groups: [CommitGroup]
    private let server: PostgresServer
    private let pool: ConnectionPool
    private let options: PostgresListStore.Options
    private let locking: Fallback
    /// What tells its changes from all others': the first of them has this number.
    private let commitID = Int.random(in: 0..<Int.max / mostCommits) * mostCommits
    /// What was sent to be committed, as long as the end of that is unknown.
    private var sent: Admission?

    /// More than ever wait at once.
    static let mostCommits = 1 << 24

    init(
        _ groups: [CommitGroup], to server: PostgresServer, over pool: ConnectionPool,
        _ options: PostgresListStore.Options, _ locking: Fallback
    ) {
        self.groups = groups
        self.server = server
        self.pool = pool
        self.options = options
        self.locking = locking
    }

    /// - Returns: for each group why it was not written.
    mutating func run(whileUnknown: () -> Void) throws(StoreError) -> [StoreError?] {
        let deadline = DispatchTime.now() + options.timeoutSeconds
        for _ in 0..<Self.mostTries where DispatchTime.now() < deadline {
            do throws(PostgresError) {
                return try tryOnce()
            } catch {
                if sent != nil { return try resolve(after: error, whileUnknown) }
                guard error.isPassing else { throw error.storeError }
            }
        }
        throw .unavailable(reason: "others were faster each time, or hold what is to be changed")
    }

    /// A try fails where another server makes the same lists, tasks or answers at the same moment: each
    /// time one of them gets on.
    private static let mostTries = 20

    /// Waits for the server: whoever is told at once would be told a guess.
    private mutating func resolve(
        after error: PostgresError, _ whileUnknown: () -> Void
    ) throws(StoreError) -> [StoreError?] {
        var last = error
        let deadline = DispatchTime.now() + options.outcomeSeconds
        do throws(PostgresError) {
            return try server.resolving { () throws(PostgresError) in
                while DispatchTime.now() < deadline, server.pause(seconds: Self.pauseSeconds) {
                    whileUnknown()
                    do throws(PostgresError) {
                        return try tryOnce()
                    } catch {
                        last = error
                        // Known by now, and not done.
                        if sent == nil, !error.isPassing { throw error }
                    }
                }
                throw last
            }
        } catch {
            guard sent == nil else {
                throw .unknown(
                    reason: "whether a commit was done is unknown: \(error.storeError.reason)")
            }
            throw error.storeError
        }
    }

    private static let pauseSeconds = 0.02

    private mutating func tryOnce() throws(PostgresError) -> [StoreError?] {
        try pool.use(for: .committing) { connection throws(PostgresError) in
            try transact(over: connection)
        }
    }

    private mutating func transact(
        over connection: PostgresConnection
    ) throws(PostgresError) -> [StoreError?] {
        let stored = try locking.using { eachAlone throws(PostgresError) in
            try StoredState(
                for: groups, commitID: commitID, isRetry: sent != nil, eachAlone: eachAlone,
                over: connection)
        }
        if let sent, try isWritten(sent, stored, over: connection) {
            // The locks make this a write: once it is durable, so is what it found. Answers alone lock
            // nothing.
            if sent.commits.isEmpty { try connection.confirm() }
            try commit(over: connection)
            return sent.refusals
        }
        let admission = Admission(groups, to: stored)
        guard !admission.commits.isEmpty || !admission.answers.isEmpty else {
            try connection.run([Statement.rollback()])
            sent = nil
            return admission.refusals
        }
        let (calls, expected) = JournalWriter.calls(
            for: admission, commitID: commitID, notifies: options.notifies)
        guard expected.isEmpty else {
            let results = try connection.run(calls)
            for (index, count) in expected where results[index].changedCount != count {
                try connection.run([Statement.rollback()])
                throw .refused(state: "40001", message: "another server was faster")
            }
            sent = admission
            try commit(over: connection)
            return admission.refusals
        }
        sent = admission
        try commit(after: calls, over: connection)
        return admission.refusals
    }

    private mutating func commit(
        after calls: [Call] = [], over connection: PostgresConnection
    ) throws(PostgresError) {
        do throws(PostgresError) {
            let results = try connection.run(calls + [Statement.commit()])
            guard results.last?.tag == "COMMIT" else {
                throw .refused(state: "25P02", message: "the transaction was not committed")
            }
        } catch {
            // What the server refused is not done. Where it was told to end the connection meanwhile, it
            // may be.
            if !error.endsConnection { sent = nil }
            throw error
        }
        // Such as that nobody waited for the standby, though that was asked for.
        guard !connection.hasWarned else {
            throw .cut(reason: "the server warned of the commit")
        }
    }

    /// Whether a transaction that was sent to be committed was.
    private func isWritten(
        _ sent: Admission, _ stored: StoredState, over connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        guard !sent.commits.isEmpty else { return stored.holds(sent.answers.values) }
        if stored.writtenCount > 0 { return true }
        for commit in sent.commits {
            if let list = stored.lists[commit.list], list.forgotten >= commit.version {
                try connection.run([Statement.rollback()])
                throw .corrupt(
                    place: "list \(commit.list), version \(commit.version)",
                    reason: "its change was forgotten before it was known to be there")
            }
        }
        return false
    }
}
