import ArgumentParser
import PostgresStore

/// What a server may be told of its PostgreSQL beside the URL.
struct PostgresOptions: ParsableArguments {
    @Option(
        help: """
            PostgreSQL: connections for reading lists; three more are for commits, for looking whether \
            lists are current, and for listening.
            """)
    var postgresConnections = 4

    @Option(
        help: "PostgreSQL: after so many seconds without an answer a connection is given up.")
    var postgresTimeoutSeconds = 10

    @Flag(
        help: """
            PostgreSQL: don't use LISTEN and NOTIFY; watchers learn of other servers' changes within a \
            second. The same for all servers.
            """)
    var postgresPolling = false

    @Flag(help: "PostgreSQL: make the tables, or bring them to this version, before serving.")
    var migrate = false

    func validate() throws {
        guard 1...100 ~= postgresConnections else {
            throw ValidationError("--postgres-connections is 1 to 100.")
        }
        guard 1...300 ~= postgresTimeoutSeconds else {
            throw ValidationError("--postgres-timeout-seconds is 1 to 300.")
        }
    }

    var options: PostgresListStore.Options {
        PostgresListStore.Options(
            readers: postgresConnections, timeoutSeconds: Double(postgresTimeoutSeconds),
            notifies: !postgresPolling)
    }
}
