import Dispatch
import Foundation
import ReorderStore
import Synchronization

/// Lists in a PostgreSQL database that several servers use.
///
/// It uses at most two connections for commits, one for checking that lists are current, some for
/// all other reads, and one that listens. All are opened on demand.
package final class PostgresListStore: SharedListStore, PostgresReader {
    package struct Options: Sendable {
        /// The maximum number of connections for reading, besides those for commits and checks; at
        /// least 1.
        package var readers: Int
        /// A connection is closed if the server does not respond for this long.
        package var timeoutSeconds: Double
        /// See `ConnectionSettings.stallSeconds`.
        package var stallSeconds: Double?
        /// Whether servers notify one another of commits. Otherwise they poll every second.
        package var notifies: Bool
        /// The time limit for determining the outcome of an interrupted commit: longer than a
        /// standby needs to take over, and not longer than clients wait.
        package var outcomeSeconds = 30.0
        /// Whether to avoid features that some engines lack, even if this one may support them.
        package var usesFallbacks = false

        package init(
            readers: Int = 4, timeoutSeconds: Double = 10, stallSeconds: Double? = 2,
            notifies: Bool = true
        ) {
            self.readers = readers
            self.timeoutSeconds = timeoutSeconds
            self.stallSeconds = stallSeconds
            self.notifies = notifies
        }
    }

    /// Read when the store was opened.
    package let epoch: String
    /// The database server's time.
    package let latestTime: Int64?
    let url: String
    let options: Options
    let server: PostgresServer
    private let pool: ConnectionPool
    /// How rows are locked: many with one statement, or each with its own, in the same order.
    private let locking: FeatureFallback
    /// How lists and their changes are read: with a join, or separately.
    private let joining: FeatureFallback
    private let history = Mutex(HistoryPruner())
    private let listener = Mutex<NotificationListener?>(nil)
    let isClosed = CloseFlag()

    /// Connects, and verifies that the tables have this program's version.
    ///
    /// - Parameters:
    ///   - url: `postgres://…` as libpq parses it, including several hosts and all its parameters.
    ///   - newEpoch: the name of the store's first epoch, if it has none yet.
    ///   - report: receives messages for the log: that the server is unreachable, and that it is
    ///     back.
    /// - Throws: `unavailable` if the server can't be reached; `refused` if the URL can't be parsed,
    ///   the tables have another version, or the role may not use them.
    package convenience init(
        url: String, options: Options = Options(), newEpoch: String = StoreEpoch.makeName(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(StoreError) {
        let (server, connection) = try Self.connect(url, options, report)
        do throws(PostgresError) {
            self.init(
                server, url, options, epoch: try PostgresSchema.epoch(connection, orNew: newEpoch),
                latestTime: try PostgresSchema.currentTime(connection))
        } catch {
            server.close()
            throw error.openingError
        }
    }

    /// Connects, and verifies that the tables have this program's version.
    static func connect(
        _ url: String, _ options: Options, _ report: @escaping @Sendable (String) -> Void
    ) throws(StoreError) -> (PostgresServer, PostgresConnection) {
        let server = try server(url, options, report)
        let connection: PostgresConnection
        let version: Int
        do throws(PostgresError) {
            connection = try server.connect()
            version = try PostgresSchema.currentVersion(connection)
        } catch {
            server.close()
            throw error.openingError
        }
        guard version == PostgresSchema.version else {
            server.close()
            throw .refused(
                reason: version > PostgresSchema.version
                    ? "its tables have version \(version): a newer reorderd created them; this one "
                        + "supports version \(PostgresSchema.version). Use the newer program"
                    : version == 0
                        ? "its tables do not exist: run \"reorderd migrate\" first"
                        : "its tables have version \(version) instead of \(PostgresSchema.version): run "
                            + "\"reorderd migrate\" first")
        }
        return (server, connection)
    }

    private init(
        _ server: PostgresServer, _ url: String, _ options: Options, epoch: String,
        latestTime: Int64
    ) {
        self.url = url
        server.past.begin(epoch: epoch)
        self.epoch = epoch
        self.latestTime = latestTime
        self.server = server
        self.options = options
        locking = FeatureFallback(isTaken: options.usesFallbacks)
        joining = FeatureFallback(isTaken: options.usesFallbacks)
        pool = ConnectionPool(server, readers: max(1, options.readers))
    }

    package var usage: StoreUsage {
        // Besides the readers: two for commits, one for checks, and one that listens.
        StoreUsage(
            connections: server.connectionCount.load(ordering: .relaxed),
            connectionLimit: max(1, options.readers) + 4)
    }

    static func server(
        _ url: String, _ options: Options, _ report: @escaping @Sendable (String) -> Void
    ) throws(StoreError) -> PostgresServer {
        if let problem = ConnectionSettings.problem(of: url) { throw .refused(reason: problem) }
        do throws(PostgresError) {
            return try PostgresServer(
                ConnectionSettings(
                    url: url, timeoutSeconds: options.timeoutSeconds,
                    stallSeconds: options.stallSeconds), report: report)
        } catch {
            throw error.storeError
        }
    }

    /// Creates the tables, or upgrades them to this program's version. Several may do so
    /// concurrently.
    ///
    /// - Returns: the version before (0 if there were no tables), and the version now.
    package static func migrate(
        url: String, options: Options = Options()
    ) throws(StoreError) -> (before: Int, after: Int) {
        let server = try server(url, options, { _ in })
        defer { server.close() }
        do throws(PostgresError) {
            let before = try PostgresSchema.migrate(try server.connect())
            return (before, max(before, PostgresSchema.version))
        } catch {
            throw error.openingError
        }
    }

    /// Begins a new epoch, in tables of this program's version: entity tags and resume tokens
    /// issued before become invalid. Running servers notice it.
    package static func beginEpoch(url: String) throws(StoreError) {
        let server = try server(url, Options(), { _ in })
        defer { server.close() }
        do throws(PostgresError) {
            try PostgresSchema.beginEpoch(
                StoreEpoch.makeName(), after: nil, try server.connect())
        } catch {
            throw .refused(reason: error.storeError.reason)
        }
    }

    /// The version of the tables that this program uses.
    package static let schemaVersion = PostgresSchema.version

    // MARK: Writing

    package func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        beforeVisible()
        guard !commits.isEmpty || !responses.isEmpty else { return }
        let refusals = try append([CommitGroup(commits: commits, responses: responses)]) {}
        if let refusal = refusals.first ?? nil { throw refusal }
    }

    package func append(
        _ groups: [CommitGroup], whileUnknown: () -> Void
    ) throws(StoreError) -> [StoreError?] {
        var append = AppendOperation(
            groups, to: server, over: pool, locking, notifies: options.notifies,
            outcomeSeconds: options.outcomeSeconds)
        return try append.run(whileUnknown: whileUnknown)
    }

    package func removeResponses(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool {
        try change { connection throws(PostgresError) in
            try locking.using { eachAlone throws(PostgresError) in
                try StoredResponseTable.remove(
                    expiredAt: time, limit: limit, eachAlone: eachAlone, over: connection)
            }
        }
    }

    package func pruneBin(deletedBefore time: Int64, limit: Int) throws(StoreError) -> Bool {
        try change { connection throws(PostgresError) in
            try locking.using { eachAlone throws(PostgresError) in
                try PostgresBin.removeLists(
                    deletedBefore: time, limit: limit, eachAlone: eachAlone, over: connection)
            }
        }
    }

    package func tokenState() throws(StoreError) -> TokenState {
        try read { connection throws(PostgresError) in
            try PostgresTokens.state(over: connection)
        }
    }

    package func addToken(_ token: StoredToken) throws(StoreError) -> Bool {
        let stored = try change { connection throws(PostgresError) in
            try PostgresTokens.add(token, notifies: options.notifies, over: connection)
        }
        guard stored ?? token.bytes == token.bytes else { throw .conflict(list: token.id) }
        return stored != nil
    }

    package func removeTokens(_ ids: [String]) throws(StoreError) {
        try change { connection throws(PostgresError) in
            try PostgresTokens.remove(ids, notifies: options.notifies, over: connection)
        }
    }

    package func pruneChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        try history.withLock { history throws(StoreError) in
            // Repeating it after an error is safe: it continues with the remaining changes.
            try change { connection throws(PostgresError) in
                try locking.using { eachAlone throws(PostgresError) in
                    try history.prune(
                        olderThan: Int(time), orFrom: Int(future), keepingLast: keepingLast,
                        limit: limit, eachAlone: eachAlone, over: connection)
                }
            }
        }
    }

    /// Changes tables in a way that may be repeated, unless a newer program has upgraded them.
    private func change<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        try read { connection throws(PostgresError) in
            try PostgresSchema.check(version: try PostgresSchema.currentVersion(connection))
            return try body(connection)
        }
    }

    // MARK: Reading

    package func listStates(
        of questions: [ListStateQuery]
    ) throws(StoreError) -> [String: StoredListState] {
        do throws(PostgresError) {
            return try pool.retrying(for: .checking) { connection throws(PostgresError) in
                try joining.using { isTaken throws(PostgresError) in
                    try PostgresJournalReader.listStates(
                        of: questions, separately: isTaken, over: connection)
                }
            }
        } catch {
            throw error.readingError
        }
    }

    func read<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        do throws(PostgresError) {
            return try pool.retrying(for: .reading, body)
        } catch {
            throw error.readingError
        }
    }

    // MARK: Notifications and closing

    package func listen(_ onNews: @escaping @Sendable (StoreNotification) -> Void) {
        guard options.notifies else { return }
        listener.withLock { $0 = NotificationListener(server, notify: onNews) }
    }

    package var secondsBetweenPolls: Double { options.notifies ? 5 : 1 }

    package var isReachable: Bool { server.isReachable }

    package func prepareToClose(inSeconds seconds: Double) {
        server.prepareToClose(inSeconds: seconds)
    }

    package func close() throws(StoreError) {
        isClosed.set()
        server.close()
        listener.withLock { $0.take() }?.stop()
        pool.close()
    }
}

extension PostgresError {
    /// The error for a read. An error that the server returns is not an outage, so it becomes
    /// `failed`. A time-out may be temporary.
    var readingError: StoreError {
        guard case .refused(let state, let message) = self, !endsConnection, !isTimeout else {
            return storeError
        }
        // The lines after the first may contain the statement and its values.
        let first = message.components(separatedBy: "; ").first ?? message
        return .failed(reason: "\(first) (\(state))")
    }
}
