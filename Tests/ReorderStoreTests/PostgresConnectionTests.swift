import Dispatch
import Foundation
import PostgresTesting
import ReorderStore
import Synchronization
import Testing
import Waiting

@testable import PostgresStore

/// Refused connections and stalled servers. The tests use one cluster, one after another.
@Suite(.serialized, .enabled(if: PostgresCluster.isTested))
struct PostgresConnectionTests {
    private static let cluster = Result { try PostgresCluster() }

    @Test func theReasonOfAnOutageIsTheCurrentOne() throws {
        let cluster = try Self.cluster.get()
        try withDatabase(in: cluster) { url, name in
            let server = try PostgresServer(
                ConnectionSettings(url: url, timeoutSeconds: hangSeconds)
            ) { _ in }
            defer { server.close() }
            func wait(forReason text: String) throws {
                try waitUntil {
                    do throws(PostgresError) {
                        _ = try server.connect()
                        return false
                    } catch {
                        return error.storeError.reason.contains(text)
                    }
                }
            }
            try cluster.setConnectable(false, database: name)
            server.markUnreachable("the first reason")
            try wait(forReason: "not currently accepting connections")
            try cluster.setConnectable(true, database: name)
        }
    }

    // MARK: Too many connections

    /// Runs `body` with a server that accepts one connection, and its messages.
    private func withOneConnection(
        _ body: (PostgresServer, _ messages: @escaping @Sendable () -> [String]) throws -> Void
    ) throws {
        let cluster = try Self.cluster.get()
        try withDatabase(in: cluster) { url, name in
            let role = "limited-\(name)"
            _ = try cluster.psql("CREATE ROLE \"\(role)\" LOGIN CONNECTION LIMIT 1", in: name)
            let settings = ConnectionSettings(
                url: url.replacing("//reorderd@", with: "//\(role)@"), timeoutSeconds: hangSeconds)
            let messages = Mutex<[String]>([])
            let server = try PostgresServer(settings) { text in
                messages.withLock { $0.append(text) }
            }
            try body(server) { messages.withLock { $0 } }
            server.close()
        }
    }

    private static let nap = Statement("nap", "SELECT pg_sleep(0.005)")

    @Test func ifTheServerRefusesConnectionsTheOpenOnesAreShared() throws {
        try withOneConnection { server, messages in
            let pool = ConnectionPool(server, readers: 4)
            var threads: [Background] = []
            // Holds the connection until the server has refused another one.
            try pool.use(for: .committing) { connection throws(PostgresError) in
                try connection.run([Self.nap()])
                for purpose in ConnectionPool.Purpose.allCases + ConnectionPool.Purpose.allCases {
                    threads.append(
                        Background {
                            #expect(throws: Never.self) {
                                for _ in 0..<10 { try pool.run(Self.nap, for: purpose) }
                            }
                        })
                }
                #expect(throws: Never.self) { try waitUntil { !messages().isEmpty } }
            }
            for thread in threads { try thread.wait() }
            #expect(server.isReachable)
            #expect(messages().allSatisfy { $0.contains("refused another connection") })
            pool.close()
        }
    }

    @Test func withoutAnOpenConnectionTheServerIsUnreachableUntilOneIsAccepted() throws {
        try withOneConnection { server, _ in
            let (pool, other) = (
                ConnectionPool(server, readers: 1), ConnectionPool(server, readers: 1)
            )
            try pool.run(Self.nap)
            #expect(throws: PostgresError.self) { try other.run(Self.nap) }
            #expect(!server.isReachable)
            pool.close()
            try waitUntil { server.isReachable }
            // The connection that found the server reachable is passed to the next caller, because
            // no other connection is allowed.
            #expect(throws: Never.self) { try other.run(Self.nap) }
            #expect(server.isReachable)
            other.close()
        }
    }

    // MARK: Stalled servers

    /// Runs `body` with a PostgreSQL that it may freeze, and the URL of a database with a list at
    /// version 1.
    private func withCluster(
        _ body: (PostgresCluster, _ url: String) throws -> Void
    ) throws {
        let cluster = try Self.cluster.get()
        try withDatabase(in: cluster) { url, _ in
            let store = try openStore(url)
            try store.append([.exists("l", 1, snapshot: true)])
            try store.close()
            defer { try? cluster.setFrozen(false) }
            try body(cluster, url)
            try cluster.setFrozen(false)
        }
    }

    private func server(_ url: String, timeoutSeconds: Double) throws -> PostgresServer {
        try PostgresServer(ConnectionSettings(url: url, timeoutSeconds: timeoutSeconds)) { _ in }
    }

    private static let question = ListStateQuery(list: "l", known: nil)

    @Test func aStalledServerCostsOneTimeout() throws {
        try withCluster { cluster, url in
            let store = try repeated {
                try PostgresListStore(url: url, options: .init(timeoutSeconds: 1))
            }
            _ = try repeated { try store.listStates(of: [Self.question]) }
            _ = try repeated { try store.load("l") }
            try cluster.setFrozen(true)
            #expect(throws: StoreError.self) { try store.listStates(of: [Self.question]) }
            #expect(!store.isReachable)
            // The next calls do not wait for the server: they fail with the reason of the first one.
            let reason = StoreError.unavailable(
                reason: "the server did not answer within the time limit")
            #expect(throws: reason) { try store.listStates(of: [Self.question]) }
            #expect(throws: reason) { try store.append([.exists("l", 2)]) }
            try cluster.setFrozen(false)
            try waitUntil { store.isReachable }
            let state = try repeated { try store.listStates(of: [Self.question])["l"] }
            #expect(state?.version == 1)
            try store.close()
        }
    }

    /// Long before the time limit of statements.
    @Test func aSilentServerIsNoticed() throws {
        try withCluster { cluster, url in
            let store = try repeated {
                var options = PostgresListStore.Options.patient
                options.stallSeconds = 2
                return try PostgresListStore(url: url, options: options)
            }
            _ = try repeated { try store.listStates(of: [Self.question]) }
            try cluster.setFrozen(true)
            #expect(throws: StoreError.self) { try store.listStates(of: [Self.question]) }
            #expect(!store.isReachable)
            try cluster.setFrozen(false)
            try waitUntil { store.isReachable }
            try store.close()
        }
    }

    /// A server with one slow statement is silent, too.
    @Test func aSlowStatementIsNotSilence() throws {
        try withCluster { _, url in
            // No process starts so slowly that this matters.
            let settings = ConnectionSettings(
                url: url, timeoutSeconds: hangSeconds, stallSeconds: 2)
            let server = try PostgresServer(settings) { _ in }
            let connection = try repeated { try server.connect() }
            let start = DispatchTime.now()
            server.test(0, silentSince: start, withinSeconds: hangSeconds, CloseFlag())
            try waitUntil { server.hasActivity(since: start) }
            #expect(server.isReachable)
            try connection.run([Self.nap()])
            server.close()
        }
    }

    @Test func waitingCallsFailWhenAnotherFindsTheServerUnreachable() throws {
        try withCluster { cluster, url in
            // The shortest time for connecting that libpq allows.
            let server = try server(url + "&connect_timeout=2", timeoutSeconds: hangSeconds)
            let connection = try repeated { try server.connect() }
            try cluster.setFrozen(true)
            let waiting = Background {
                #expect(throws: PostgresError.self) { try connection.run([Self.nap()]) }
            }
            // Over a new connection, which can't be opened.
            #expect(throws: PostgresError.self) {
                try ConnectionPool(server, readers: 1).run(Self.nap)
            }
            #expect(!server.isReachable)
            try waiting.wait()
            try cluster.setFrozen(false)
            try waitUntil { server.isReachable }
            server.close()
        }
    }

    @Test func oneSlowStatementDoesNotMakeTheServerUnreachable() throws {
        try withCluster { _, url in
            let server = try server(url, timeoutSeconds: 1)
            let slow = try repeated { try server.connect() }
            let other = try repeated { try server.connect() }
            let start = DispatchTime.now()
            try other.run([Self.nap()])
            #expect(server.hasActivity(since: start))
            let isDone = Atomic(false)
            let others = Background {
                while !isDone.load(ordering: .relaxed) { server.recordActivity() }
            }
            let error = #expect(throws: PostgresError.self) {
                try slow.run([Statement("slow", "SELECT pg_sleep(600)")()])
            }
            if case .timedOut? = error {} else { Issue.record("\(error as Any)") }
            #expect(server.isReachable)
            isDone.store(true, ordering: .relaxed)
            try others.wait()
            server.close()
        }
    }

    private static let measuring = Statement("measure", "SELECT length($1::bytea)")

    /// The second statement is sent in another way than large ones.
    @Test(arguments: [(1 << 20) + 1, 1 << 19])
    func aStalledServerEndsTheSendingOfALargeStatement(byteCount: Int) throws {
        try withCluster { cluster, url in
            let server = try server(url, timeoutSeconds: 1)
            func send(_ count: Int, over connection: PostgresConnection) throws(PostgresError) {
                let bytes = [UInt8](repeating: 1, count: count)
                try connection.run([Self.measuring(.bytes(bytes))])
            }
            let connection = try repeated {
                let connection = try server.connect()
                try send((1 << 20) + 1, over: connection)
                return connection
            }
            try cluster.setFrozen(true)
            let error = #expect(throws: PostgresError.self) {
                try send(byteCount, over: connection)
            }
            if case .timedOut? = error {} else { Issue.record("\(error as Any)") }
            #expect(!server.isReachable)
            #expect(throws: PostgresError.self) { try connection.run([Self.nap()]) }
            server.close()
        }
    }

    // MARK: Closing

    @Test func theSendingOfALargeStatementEndsWhenTheStoreCloses() throws {
        try withCluster { cluster, url in
            let server = try server(url, timeoutSeconds: hangSeconds)
            let connection = try server.connect()
            try cluster.setFrozen(true)
            let sending = Background {
                let bytes = [UInt8](repeating: 1, count: 2 << 20)
                #expect(throws: PostgresError.self) {
                    try connection.run([Self.measuring(.bytes(bytes))])
                }
            }
            server.prepareToClose(inSeconds: 0.1)
            try sending.wait()
        }
    }

    @Test func waitingCallsFailWhenTheStoreCloses() throws {
        try withCluster { cluster, url in
            let store = try openStore(url)
            _ = try store.listStates(of: [Self.question])
            try cluster.setFrozen(true)
            // Over an open connection, and over new ones.
            let calls: [@Sendable () throws -> Void] = [
                { _ = try store.listStates(of: [Self.question]) },
                { _ = try store.listStates(of: [Self.question]) },
                { _ = try store.load("l") },
                { try store.append([.exists("l", 2)]) },
            ]
            let threads = calls.map { call in
                Background {
                    let error = #expect(throws: StoreError.self) { try call() }
                    // No commit was sent.
                    if case .unavailable? = error {} else { Issue.record("\(error as Any)") }
                }
            }
            store.listen { _ in }
            // Most of them wait by then; the result is the same for the others.
            store.prepareToClose(inSeconds: 0.1)
            for thread in threads { try thread.wait() }
            // Closing does not wait for the listener either.
            try store.close()
        }
    }
}

/// Without a PostgreSQL.
@Suite struct PostgresSettingsTests {
    @Test func largeStatementsHaveASecondMoreForEachMiB() {
        #expect(PostgresConnection.addedSeconds(bytes: (1 << 20) - 1) == 0)
        #expect(PostgresConnection.addedSeconds(bytes: 60 << 20) == 60)
    }

    @Test func waitingEndsWhenEitherFlagIsSet() throws {
        let (flag, other) = (try EventFlag(), try EventFlag())
        let thread = Background { other.set() }
        #expect(!flag.wait(seconds: hangSeconds, or: other))
        #expect(other.isSet)
        try thread.wait()
        flag.set()
        other.clear()
        #expect(flag.wait(or: other))
        flag.clear()
        #expect(!flag.wait(seconds: 0))
    }

    @Test(arguments: ["postgres://[", "postgres://nobody@/x?host=/nowhere"])
    func anUnreachableServerIsRefused(url: String) {
        #expect(throws: StoreError.self) { try openStore(url) }
    }
}

extension ConnectionPool {
    fileprivate func run(
        _ statement: Statement, for purpose: Purpose = .reading
    ) throws(PostgresError) {
        _ = try use(for: purpose) { connection throws(PostgresError) in
            try connection.run([statement()])
        }
    }
}
