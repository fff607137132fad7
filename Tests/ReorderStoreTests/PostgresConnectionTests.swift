import Dispatch
import Foundation
import PostgresTesting
import ReorderStore
import Synchronization
import Testing

@testable import PostgresStore

/// Refused connections and stalled servers.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresConnectionTests {
    private static let database = "lists"

    // MARK: Too many connections

    /// Runs `body` with a server that accepts one connection, and its messages.
    private func withOneConnection(
        _ body: (PostgresServer, _ messages: () -> [String]) throws -> Void
    ) throws {
        let cluster = try PostgresCluster()
        let url = try cluster.url(ofDatabase: Self.database)
        _ = try cluster.psql("CREATE ROLE limited LOGIN CONNECTION LIMIT 1", in: "postgres")
        let settings = ConnectionSettings(
            url: url.replacing("//reorderd@", with: "//limited@"), timeoutSeconds: 60)
        let messages = Mutex<[String]>([])
        let server = try PostgresServer(settings) { text in messages.withLock { $0.append(text) } }
        try body(server) { messages.withLock { $0 } }
        server.close()
    }

    private static let nap = Statement("nap", "SELECT pg_sleep(0.005)")

    @Test func ifTheServerRefusesConnectionsTheOpenOnesAreShared() throws {
        try withOneConnection { server, messages in
            let pool = ConnectionPool(server, readers: 4)
            let faults = Mutex<[String]>([])
            let running = DispatchGroup()
            // Uses threads, because a queue might use only one thread, and then no call would wait.
            for purpose in ConnectionPool.Purpose.allCases + ConnectionPool.Purpose.allCases {
                running.enter()
                Thread {
                    do {
                        for _ in 0..<50 { try pool.run(Self.nap, for: purpose) }
                    } catch {
                        faults.withLock { $0.append("\(error)") }
                    }
                    running.leave()
                }.start()
            }
            running.wait()
            #expect(faults.withLock { $0 } == [])
            #expect(server.isReachable)
            // Some had to wait.
            #expect(!messages().isEmpty)
            #expect(messages().allSatisfy { $0.contains("refused another connection") })
            pool.close()
        }
    }

    @Test func withoutAnOpenConnectionTheServerIsUnreachableUntilOneIsAccepted() throws {
        try withOneConnection { server, messages in
            let (pool, other) = (
                ConnectionPool(server, readers: 1), ConnectionPool(server, readers: 1)
            )
            try pool.run(Self.nap)
            #expect(throws: PostgresError.self) { try other.run(Self.nap) }
            #expect(!server.isReachable)
            pool.close()
            let deadline = Date(timeIntervalSinceNow: 60)
            while !server.isReachable, Date() < deadline { usleep(1_000) }
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
        let cluster = try PostgresCluster()
        let url = try cluster.url(ofDatabase: Self.database)
        _ = try PostgresListStore.migrate(url: url)
        let store = try PostgresListStore(url: url)
        try store.append([.exists("l", 1, snapshot: true)])
        try store.close()
        defer { try? cluster.setFrozen(false) }
        try body(cluster, url)
    }

    private static let question = ListStateQuery(list: "l", known: nil)

    @Test func aStalledServerCostsOneTimeout() throws {
        try withCluster { cluster, url in
            let seconds = 10.0
            let store = try PostgresListStore(url: url, options: .init(timeoutSeconds: seconds))
            _ = try store.listStates(of: [Self.question])
            _ = try store.load("l")
            try cluster.setFrozen(true)
            let start = Date()
            #expect(throws: StoreError.self) { try store.listStates(of: [Self.question]) }
            // Only the first call waits for the time limit; three calls would take three times as
            // long.
            #expect(-start.timeIntervalSinceNow < 2 * seconds)
            #expect(!store.isReachable)
            let next = Date()
            #expect(throws: StoreError.self) { try store.listStates(of: [Self.question]) }
            #expect(throws: StoreError.self) { try store.append([.exists("l", 2)]) }
            #expect(-next.timeIntervalSinceNow < seconds / 2)
            try cluster.setFrozen(false)
            let deadline = Date(timeIntervalSinceNow: 60)
            while !store.isReachable, Date() < deadline { usleep(1_000) }
            try store.append([.exists("l", 2)])
            #expect(try store.listStates(of: [Self.question])["l"]?.version == 2)
            try store.close()
        }
    }

    @Test func waitingCallsFailWhenAnotherFindsTheServerUnreachable() throws {
        try withCluster { cluster, url in
            let store = try PostgresListStore(url: url, options: .init(timeoutSeconds: 600))
            _ = try store.listStates(of: [Self.question])
            try cluster.setFrozen(true)
            let ended = DispatchSemaphore(value: 0)
            Thread {
                #expect(throws: StoreError.self) { try store.listStates(of: [Self.question]) }
                ended.signal()
            }.start()
            usleep(300_000)
            // Over a new connection, which can't be opened.
            #expect(throws: StoreError.self) { try store.load("l") }
            #expect(!store.isReachable)
            try #require(ended.wait(timeout: .now() + 60) == .success)
            try cluster.setFrozen(false)
            let deadline = Date(timeIntervalSinceNow: 60)
            while !store.isReachable, Date() < deadline { usleep(1_000) }
            #expect(try store.listStates(of: [Self.question])["l"]?.version == 1)
            try store.close()
        }
    }

    @Test func oneSlowStatementDoesNotMakeTheServerUnreachable() throws {
        try withCluster { cluster, url in
            let server = try PostgresServer(ConnectionSettings(url: url, timeoutSeconds: 10)) { _ in
            }
            let pool = ConnectionPool(server, readers: 2)
            let slow = Statement("slow", "SELECT pg_sleep(600)")
            let isDone = Atomic<Bool>(false)
            let others = Thread {
                while !isDone.load(ordering: .relaxed) {
                    #expect(throws: Never.self) { try pool.run(Self.nap) }
                }
            }
            others.start()
            let isLate = #expect(throws: PostgresError.self) {
                try pool.run(slow)
            }
            #expect(server.isReachable)
            isDone.store(true, ordering: .relaxed)
            if case .timedOut? = isLate {} else { Issue.record("\(String(describing: isLate))") }
            while !others.isFinished { usleep(1_000) }
            server.close()
        }
    }

    private static let measuring = Statement(
        "measure", "SELECT length($1::bytea) FROM pg_sleep($2::bigint)")

    @Test func largeStatementsHaveASecondMoreForEachMiB() throws {
        try withCluster { _, url in
            let server = try PostgresServer(ConnectionSettings(url: url, timeoutSeconds: 1)) { _ in
            }
            let connection = try server.connect()
            let bytes = [UInt8](repeating: 1, count: 60 << 20)
            let results = try connection.run([Self.measuring(.bytes(bytes), .int(3))])
            #expect(results.first?.count == 1)
            #expect(throws: PostgresError.self) {
                try connection.run([Self.measuring(.bytes([]), .int(600))])
            }
            server.close()
        }
    }

    @Test func aStalledServerEndsTheSendingOfALargeStatement() throws {
        try withCluster { cluster, url in
            let server = try PostgresServer(ConnectionSettings(url: url, timeoutSeconds: 1)) { _ in
            }
            let connection = try server.connect()
            try cluster.setFrozen(true)
            let bytes = [UInt8](repeating: 1, count: 2 << 20)
            let error = #expect(throws: PostgresError.self) {
                try connection.run([Self.measuring(.bytes(bytes), .int(0))])
            }
            if case .timedOut? = error {} else { Issue.record("\(error as Any)") }
            #expect(!server.isReachable)
            #expect(throws: PostgresError.self) { try connection.run([Self.nap()]) }
            server.close()
        }
    }

    @Test func theSendingOfALargeStatementEndsWhenTheStoreCloses() throws {
        try withCluster { cluster, url in
            let settings = ConnectionSettings(url: url, timeoutSeconds: 600)
            let server = try PostgresServer(settings) { _ in }
            let connection = try server.connect()
            try cluster.setFrozen(true)
            let ended = DispatchSemaphore(value: 0)
            Thread {
                let bytes = [UInt8](repeating: 1, count: 2 << 20)
                #expect(throws: PostgresError.self) {
                    try connection.run([Self.measuring(.bytes(bytes), .int(0))])
                }
                ended.signal()
            }.start()
            server.prepareToClose(inSeconds: 0.3)
            try #require(ended.wait(timeout: .now() + 60) == .success)
        }
    }

    @Test func waitingCallsFailWhenTheStoreCloses() throws {
        try withCluster { cluster, url in
            let store = try PostgresListStore(
                url: url + "&connect_timeout=600", options: .init(timeoutSeconds: 600))
            _ = try store.listStates(of: [Self.question])
            try cluster.setFrozen(true)
            // Over an open connection, and over new ones.
            let calls: [@Sendable () throws -> Void] = [
                { _ = try store.listStates(of: [Self.question]) },
                { _ = try store.listStates(of: [Self.question]) },
                { _ = try store.load("l") },
                { try store.append([.exists("l", 2)]) },
            ]
            let ended = DispatchSemaphore(value: 0)
            for call in calls {
                Thread {
                    let error = #expect(throws: StoreError.self) { try call() }
                    // No commit was sent.
                    if case .unavailable? = error {} else { Issue.record("\(error as Any)") }
                    ended.signal()
                }.start()
            }
            store.listen { _ in }
            // Most of them wait by then; the result is the same for the others.
            usleep(300_000)
            store.prepareToClose(inSeconds: 0)
            for _ in calls { try #require(ended.wait(timeout: .now() + 60) == .success) }
            // Closing does not wait for the listener either.
            try store.close()
        }
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
