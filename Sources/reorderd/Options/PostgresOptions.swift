import ArgumentParser
import PostgresStore

/// The options for PostgreSQL that are not in its URL.
struct PostgresOptions: ParsableArguments {
    @Option(
        help: """
            PostgreSQL: the number of connections for reading lists. The server uses four more: \
            two for commits, one to check that cached lists are current, and one to listen.
            """)
    var postgresConnections = 4

    @Option(
        help: "PostgreSQL: close a connection after this many seconds without a response.")
    var postgresTimeoutSeconds = 10

    @Flag(
        help: """
            PostgreSQL: don't use LISTEN and NOTIFY; watchers see other servers' changes within a \
            second. Set this option for all servers or for none.
            """)
    var postgresPolling = false

    @Flag(help: "PostgreSQL: create or upgrade the tables before serving.")
    var migrate = false

    func validate() throws {
        guard 1...100 ~= postgresConnections else {
            throw ValidationError("--postgres-connections must be from 1 to 100.")
        }
        guard 1...300 ~= postgresTimeoutSeconds else {
            throw ValidationError("--postgres-timeout-seconds must be from 1 to 300.")
        }
    }

    /// Whether an option does not have its default value.
    var isGiven: Bool {
        let standard = PostgresListStore.Options()
        return migrate || postgresPolling || postgresConnections != standard.readers
            || Double(postgresTimeoutSeconds) != standard.timeoutSeconds
    }

    var options: PostgresListStore.Options {
        PostgresListStore.Options(
            readers: postgresConnections, timeoutSeconds: Double(postgresTimeoutSeconds),
            notifies: !postgresPolling)
    }
}
