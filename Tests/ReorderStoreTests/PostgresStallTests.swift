import Foundation
import PostgresTesting
import Testing
import Waiting

@testable import PostgresStore

/// Connections that stall while others work.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresStallTests {
    private static let process = Statement("process", "SELECT pg_backend_pid()::bigint")

    /// The others go on.
    @Test(arguments: [false, true]) func aStalledConnectionIsNoticed(throughPooler: Bool) throws {
        try withDatabase { url, _ in
            let pooler = throughPooler ? try PoolerStandIn(to: url) : nil
            let settings = ConnectionSettings(
                url: pooler?.url ?? url, timeoutSeconds: 100 * hangSeconds, stallSeconds: 2)
            let server = try PostgresServer(settings) { _ in }
            let pool = ConnectionPool(server, readers: 1)
            let process = try repeated {
                try pool.use(for: .reading) { connection throws(PostgresError) in
                    pid_t(try connection.run([Self.process()])[0].int(0, 0))
                }
            }
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            let read = Background {
                #expect(throws: Never.self) {
                    try repeated {
                        try pool.retrying(for: .reading) { connection throws(PostgresError) in
                            try connection.run([Self.process()])
                        }
                    }
                }
            }
            try read.wait()
            pool.close()
            server.close()
        }
    }

    @Test func aCallerThatStopsWaitingTakesNoTurn() throws {
        try withDatabase { url, _ in
            let server = try PostgresServer(
                ConnectionSettings(url: url, timeoutSeconds: 0.1)
            ) { _ in }
            let pool = ConnectionPool(server, readers: 1)
            try repeated {
                try pool.use(for: .reading) { _ throws(PostgresError) in
                    let error = #expect(throws: PostgresError.self) {
                        try pool.use(for: .reading) { _ in }
                    }
                    if case .unreachable? = error {} else { Issue.record("\(error as Any)") }
                }
            }
            #expect(throws: Never.self) { try pool.use(for: .reading) { _ in } }
            pool.close()
            server.close()
        }
    }

    @Test func aProcessThatIsAtWorkDoesNotWaitForItsClient() throws {
        try withDatabase { url, _ in
            let settings = ConnectionSettings(url: url, timeoutSeconds: hangSeconds)
            let server = try PostgresServer(settings) { _ in }
            let (holder, worker, observer) = try repeated {
                (try server.connect(), try server.connect(), try server.connect())
            }
            let process = try worker.run([Self.process()])[0].int(0, 0)
            try waitUntil { observer.isWaiting(process) }
            let lock = Statement("lock", "SELECT pg_advisory_lock(1)")
            try holder.run([lock()])
            let work = Background {
                #expect(throws: Never.self) { try worker.run([lock()]) }
            }
            try waitUntil { !observer.isWaiting(process) }
            try holder.run([Statement("unlock", "SELECT pg_advisory_unlock(1)")()])
            try work.wait()
            try waitUntil { observer.isWaiting(process) }
            server.close()
        }
    }
}
