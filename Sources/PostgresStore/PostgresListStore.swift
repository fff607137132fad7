import Dispatch
import Foundation
import ReorderStore
import Synchronization

/// Lists in a PostgreSQL database, which other servers write too.
///
/// At most one connection for commits, one for looking whether lists are current, some for all other
/// reads, and one that listens. All are opened when they are needed.
package final class PostgresListStore: SharedListStore {
    package struct Options: Sendable {
        /// Connections for reading, beside those that commits and looks have, at least 1.
        package var readers: Int
        /// After so many seconds without an answer a connection is given up.
        package var timeoutSeconds: Double
        /// Whether servers tell one another of commits. Where not, they look each second.
        package var notifies: Bool
        /// For so many seconds it is tried to find out how a commit ended that was cut off: longer than a
        /// standby needs to take over, and not longer than clients wait.
        package var outcomeSeconds = 30.0
        /// Whether what some engines lack is not used at all, also where this one may have it.
        package var usesFallbacks = false

        package init(readers: Int = 4, timeoutSeconds: Double = 10, notifies: Bool = true) {
            self.readers = readers
            self.timeoutSeconds = timeoutSeconds
            self.notifies = notifies
        }
    }

    /// As it was when the store was opened.
    package let epoch: String?
    /// The time of the database's server.
    package let latestTime: Int64?
    private let options: Options
    let server: PostgresServer
    private let pool: ConnectionPool
    /// How rows are locked: many with one statement, or each with one of its own, in the same order.
    private let locking: Fallback
    /// How lists and their changes are read: joined, or one after the other.
    private let joining: Fallback
    private let history = Mutex(HistoryKeeper())
    private let listener = Mutex<NewsListener?>(nil)

    /// Connects, and sees that the tables are of this program's version.
    ///
    /// - Parameters:
    ///   - url: `postgres://…` as libpq reads it, several hosts and all its settings included.
    ///   - tell: told what goes to the log: that the server left, and that it is back.
    /// - Throws: `refused` where the URL can't be read, the server can't be reached, or the tables are
    ///   of another version.
    package convenience init(
        url: String, options: Options = Options(),
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(StoreError) {
        let (server, connection) = try Self.connect(url, options, tell)
        do throws(PostgresError) {
            self.init(
                server, options, epoch: try Schema.epoch(connection),
                latestTime: try Schema.currentTime(connection))
        } catch {
            server.close()
            throw error.storeError
        }
    }

    /// Connects, and sees that the tables are of this program's version.
    static func connect(
        _ url: String, _ options: Options, _ tell: @escaping @Sendable (String) -> Void
    ) throws(StoreError) -> (PostgresServer, PostgresConnection) {
        let server = try server(url, options, tell)
        let connection: PostgresConnection
        let version: Int
        do throws(PostgresError) {
            connection = try server.connect()
            version = try Schema.currentVersion(connection)
        } catch {
            server.close()
            throw .refused(reason: error.storeError.reason)
        }
        guard version == Schema.version else {
            server.close()
            throw .refused(
                reason: version > Schema.version
                    ? "its tables are of version \(version): a newer reorderd made them, this one "
                        + "knows version \(Schema.version)"
                    : version == 0
                        ? "its tables are not there yet: run \"reorderd migrate\" first"
                        : "its tables are of version \(version), not \(Schema.version): run "
                            + "\"reorderd migrate\" first")
        }
        return (server, connection)
    }

    private init(
        _ server: PostgresServer, _ options: Options, epoch: String?, latestTime: Int64
    ) {
        self.epoch = epoch
        self.latestTime = latestTime
        self.server = server
        self.options = options
        locking = Fallback(isTaken: options.usesFallbacks)
        joining = Fallback(isTaken: options.usesFallbacks)
        pool = ConnectionPool(server, readers: max(1, options.readers))
    }

    private static func server(
        _ url: String, _ options: Options, _ tell: @escaping @Sendable (String) -> Void
    ) throws(StoreError) -> PostgresServer {
        if let problem = ConnectionSettings.problem(of: url) { throw .refused(reason: problem) }
        do throws(PostgresError) {
            return try PostgresServer(
                ConnectionSettings(url: url, timeoutSeconds: options.timeoutSeconds), tell: tell)
        } catch {
            throw error.storeError
        }
    }

    /// Makes the tables, or brings them to this program's version. Several may do so at once.
    ///
    /// - Returns: the version that was there, 0 for none, and the one that is there now.
    package static func migrate(
        url: String
    ) throws(StoreError) -> (before: Int, after: Int) {
        let server = try server(url, Options(), { _ in })
        defer { server.close() }
        do throws(PostgresError) {
            let before = try Schema.migrate(try server.connect())
            return (before, max(before, Schema.version))
        } catch {
            throw .refused(reason: error.storeError.reason)
        }
    }

    /// Begins a new epoch, in tables of this program's version: no entity tag or resume token given
    /// before is valid any more. Servers take it over when they start.
    package static func beginEpoch(url: String) throws(StoreError) {
        let server = try server(url, Options(), { _ in })
        defer { server.close() }
        do throws(PostgresError) {
            try Schema.setEpoch(StoreEpoch.makeName(), try server.connect())
        } catch {
            throw .refused(reason: error.storeError.reason)
        }
    }

    /// The version of the tables that this program works with.
    package static let schemaVersion = Schema.version

    // MARK: Writing

    package func append(
        _ commits: [ListCommit], answers: [StoredAnswer]
    ) throws(StoreError) {
        guard !commits.isEmpty || !answers.isEmpty else { return }
        let refusals = try append([CommitGroup(commits: commits, answers: answers)]) {}
        if let refusal = refusals.first ?? nil { throw refusal }
    }

    package func append(
        _ groups: [CommitGroup], whileUnknown: () -> Void
    ) throws(StoreError) -> [StoreError?] {
        var append = Append(groups, to: server, over: pool, options, locking)
        return try append.run(whileUnknown: whileUnknown)
    }

    package func removeAnswers(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool {
        try read { connection throws(PostgresError) in
            try locking.using { eachAlone throws(PostgresError) in
                try AnswerTable.remove(
                    expiredAt: time, limit: limit, eachAlone: eachAlone, over: connection)
            }
        }
    }

    package func forgetChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        try history.withLock { history throws(StoreError) in
            // What it has done is done; asked again it goes on from there.
            try read { connection throws(PostgresError) in
                try locking.using { eachAlone throws(PostgresError) in
                    try history.forget(
                        olderThan: Int(time), orFrom: Int(future), keepingLast: keepingLast,
                        limit: limit, eachAlone: eachAlone, over: connection)
                }
            }
        }
    }

    // MARK: Reading

    package func load(_ list: String) throws(StoreError) -> StoredList? {
        try read { connection throws(PostgresError) in
            try JournalReader.load(list, over: connection)
        }
    }

    package func answers(
        to keys: [AnswerKey]
    ) throws(StoreError) -> [AnswerKey: StoredAnswer] {
        try read { connection throws(PostgresError) in
            AnswerTable.answers(try connection.read([AnswerTable.find(keys)])[0])
        }
    }

    package func lists(holding tasks: [String]) throws(StoreError) -> [String: String] {
        try read { connection throws(PostgresError) in
            try JournalReader.holders(of: tasks, over: connection)
        }
    }

    package func summaries(after list: String?, limit: Int) throws(StoreError) -> [ListSummary] {
        try read { connection throws(PostgresError) in
            try JournalReader.summaries(after: list, limit: limit, over: connection)
        }
    }

    package func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?
    {
        try read { connection throws(PostgresError) in
            try JournalReader.changes(of: list, after: version, limit: limit, over: connection)
        }
    }

    package func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try read { connection throws(PostgresError) in
            try JournalReader.snapshots(of: list, over: connection)
        }
    }

    package func standings(
        of questions: [StandingQuestion]
    ) throws(StoreError) -> [String: ListStanding] {
        do throws(PostgresError) {
            return try pool.retrying(for: .looking) { connection throws(PostgresError) in
                try joining.using { isTaken throws(PostgresError) in
                    try JournalReader.standings(
                        of: questions, inTurn: isTaken, over: connection)
                }
            }
        } catch {
            throw error.readingError
        }
    }

    private func read<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        do throws(PostgresError) {
            return try pool.retrying(for: .reading, body)
        } catch {
            throw error.readingError
        }
    }

    // MARK: Others

    package func listen(_ onNews: @escaping @Sendable (StoreNews) -> Void) {
        guard options.notifies else { return }
        listener.withLock { $0 = NewsListener(server, tell: onNews) }
    }

    package var secondsBetweenLooks: Double { options.notifies ? 5 : 1 }

    package var isReachable: Bool { server.isReachable }

    package func prepareToClose(inSeconds seconds: Double) {
        server.prepareToClose(inSeconds: seconds)
    }

    package func close() throws(StoreError) {
        server.close()
        listener.withLock { $0.take() }?.stop()
        pool.close()
    }
}

extension PostgresError {
    /// What it means to whoever reads: what a server that is there says no to, again and again, is no outage;
    /// but what took too long may be quicker later.
    var readingError: StoreError {
        guard case .refused(let state, let message) = self, !endsConnection, !isTimeOut else {
            return storeError
        }
        // What follows the first line may tell of the statement and its values.
        let first = message.components(separatedBy: "; ").first ?? message
        return .failed(reason: "\(first) (\(state))")
    }
}
