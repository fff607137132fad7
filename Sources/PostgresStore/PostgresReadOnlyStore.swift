import ReorderStore
import Synchronization

/// A read-only view of all lists in a PostgreSQL store at one moment.
///
/// It is one transaction of one connection. Servers may keep writing meanwhile.
package final class PostgresReadOnlyStore: PostgresReader {
    package let epoch: String
    private let server: PostgresServer
    private let state: Mutex<State>

    private struct State {
        let connection: PostgresConnection
        /// The error of all further reads, after the transaction has ended.
        var failure: StoreError?
    }

    /// Connects like a `PostgresListStore`. The view has the state at the time of this call.
    package init(
        url: String, options: PostgresListStore.Options = .init()
    ) throws(StoreError) {
        let (server, connection) = try PostgresListStore.connect(url, options, { _ in })
        do throws(PostgresError) {
            // Without an epoch, no client has a version, so any name is as good. The view does not
            // store it, because the database may be a standby, and the role may only read.
            epoch = try PostgresSchema.storedEpoch(connection) ?? StoreEpoch.makeName()
            // The consumer of the data may be slow, so the transaction may be idle. Some engines do
            // not support this setting.
            do throws(PostgresError) {
                try connection.run([
                    Statement(
                        "disable-idle-timeout", "SET idle_in_transaction_session_timeout = 0")()
                ])
            } catch {
                if error.endsConnection { throw error }
            }
            // The first statement that reads determines the moment.
            try connection.run([
                Statement.beginReading(),
                Statement(
                    "read-schema-version", "SELECT max(version) FROM reorderd.schema_version")(),
            ])
        } catch {
            server.close()
            throw error.storeError
        }
        connection.isReadingOneMoment = true
        self.server = server
        state = Mutex(State(connection: connection))
    }

    func read<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        try state.withLock { state throws(StoreError) in
            if let failure = state.failure { throw failure }
            do throws(PostgresError) {
                return try body(state.connection)
            } catch {
                // Invalid data does not end the transaction; a failed statement does.
                guard case .corrupt = error else {
                    state.failure = error.readingError
                    throw error.readingError
                }
                throw error.storeError
            }
        }
    }

    package func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        throw .failed(reason: "the store was opened read-only")
    }

    /// Retention does not apply to a read-only store.
    package func pruneChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool { false }

    package func pruneBin(deletedBefore time: Int64, limit: Int) throws(StoreError) -> Bool {
        false
    }

    package func removeResponses(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool {
        false
    }

    package func addToken(_ token: StoredToken) throws(StoreError) -> Bool {
        throw .failed(reason: "the store was opened read-only")
    }

    package func removeTokens(_ ids: [String]) throws(StoreError) {
        throw .failed(reason: "the store was opened read-only")
    }

    /// Ends the transaction, and waits for the standby: until then a failover may lose the data
    /// that was read.
    ///
    /// - Throws: if the transaction ended before.
    package func close() throws(StoreError) {
        defer { server.close() }
        try read { connection throws(PostgresError) in
            try connection.run([Statement.commit()])
            connection.isReadingOneMoment = false
            if connection.canConfirm { try connection.confirm() }
        }
    }
}
