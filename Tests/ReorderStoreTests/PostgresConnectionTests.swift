import Dispatch
import Foundation
import PostgresTesting
import ReorderStore
import Synchronization
import Testing

@testable import PostgresStore

/// Connections that are refused, and servers that stand still.
@Suite
struct PostgresConnectionTests {
    private static let database = "lists"

    // MARK: Too many connections

    /// Runs `body` with a server that takes one connection, and what it tells.
    private func withOneConnection(
        _ body: (PostgresServer, _ told: () -> [String]) throws -> Void
    ) throws {
        let cluster = try PostgresCluster()
        let url = try cluster.url(ofDatabase: Self.database)
        _ = try cluster.psql("CREATE ROLE limited LOGIN CONNECTION LIMIT 1", in: "postgres")
        let settings = ConnectionSettings(
            url: url.replacing("//reorderd@", with: "//limited@"), timeoutSeconds: 60)
        let told = Mutex<[String]>([])
        let server = try PostgresServer(settings) { text in told.withLock { $0.append(text) } }
        try body(server) { told.withLock { $0 } }
        server.close()
    }

    private static let nap = Statement("nap", "SELECT pg_sleep(0.005)")

    @Test func whereNoMoreConnectionsAreTakenThoseThatAreOpenHaveToDo() throws {
        try withOneConnection { server, told in
            let pool = ConnectionPool(server, readers: 4)
            let faults = Mutex<[String]>([])
            let running = DispatchGroup()
            // Threads, as a queue may have one only, and then nobody waits.
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
            #expect(!told().isEmpty)
            #expect(told().allSatisfy { $0.contains("did not take another connection") })
            pool.close()
        }
    }

    @Test func whereThereIsNoneToWaitForTheServerIsAwayUntilOneIsTaken() throws {
        try withOneConnection { server, told in
            let (pool, other) = (
                ConnectionPool(server, readers: 1), ConnectionPool(server, readers: 1)
            )
            try pool.run(Self.nap)
            #expect(throws: PostgresError.self) { try other.run(Self.nap) }
            #expect(!server.isReachable)
            pool.close()
            let deadline = Date(timeIntervalSinceNow: 60)
            while !server.isReachable, Date() < deadline { usleep(1_000) }
            // The connection over which that was found out is the next one's: there is no other.
            #expect(throws: Never.self) { try other.run(Self.nap) }
            #expect(server.isReachable)
            other.close()
        }
    }

    // MARK: Standing still

    /// Runs `body` with a PostgreSQL that it may freeze, and the address of a list in it at version 1.
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

    private static let question = StandingQuestion(list: "l", known: nil)

    @Test func aServerThatStandsStillCostsOneTimeOut() throws {
        try withCluster { cluster, url in
            let seconds = 10.0
            let store = try PostgresListStore(url: url, options: .init(timeoutSeconds: seconds))
            _ = try store.standings(of: [Self.question])
            _ = try store.load("l")
            try cluster.setFrozen(true)
            let start = Date()
            #expect(throws: StoreError.self) { try store.standings(of: [Self.question]) }
            // Not three times as long.
            #expect(-start.timeIntervalSinceNow < 2 * seconds)
            #expect(!store.isReachable)
            let next = Date()
            #expect(throws: StoreError.self) { try store.standings(of: [Self.question]) }
            #expect(throws: StoreError.self) { try store.append([.exists("l", 2)]) }
            #expect(-next.timeIntervalSinceNow < seconds / 2)
            try cluster.setFrozen(false)
            let deadline = Date(timeIntervalSinceNow: 60)
            while !store.isReachable, Date() < deadline { usleep(1_000) }
            try store.append([.exists("l", 2)])
            #expect(try store.standings(of: [Self.question])["l"]?.version == 2)
            try store.close()
        }
    }

    @Test func whoeverWaitsIsToldWhenAnotherFindsOutThatTheServerIsAway() throws {
        try withCluster { cluster, url in
            let store = try PostgresListStore(url: url, options: .init(timeoutSeconds: 600))
            _ = try store.standings(of: [Self.question])
            try cluster.setFrozen(true)
            let ended = DispatchSemaphore(value: 0)
            Thread {
                #expect(throws: StoreError.self) { try store.standings(of: [Self.question]) }
                ended.signal()
            }.start()
            usleep(300_000)
            // Over a connection of its own, which can't be opened.
            #expect(throws: StoreError.self) { try store.load("l") }
            #expect(!store.isReachable)
            try #require(ended.wait(timeout: .now() + 60) == .success)
            try cluster.setFrozen(false)
            let deadline = Date(timeIntervalSinceNow: 60)
            while !store.isReachable, Date() < deadline { usleep(1_000) }
            #expect(try store.standings(of: [Self.question])["l"]?.version == 1)
            try store.close()
        }
    }

    @Test func oneSlowStatementDoesNotTakeTheServerAway() throws {
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
            if case .late? = isLate {} else { Issue.record("\(String(describing: isLate))") }
            while !others.isFinished { usleep(1_000) }
            server.close()
        }
    }

    @Test func whoeverWaitsGivesUpWhenTheStoreCloses() throws {
        try withCluster { cluster, url in
            let store = try PostgresListStore(
                url: url + "&connect_timeout=600", options: .init(timeoutSeconds: 600))
            _ = try store.standings(of: [Self.question])
            try cluster.setFrozen(true)
            // Over a connection that is open, and over some that are not.
            let calls: [@Sendable () throws -> Void] = [
                { _ = try store.standings(of: [Self.question]) },
                { _ = try store.standings(of: [Self.question]) },
                { _ = try store.load("l") },
                { try store.append([.exists("l", 2)]) },
            ]
            let ended = DispatchSemaphore(value: 0)
            for call in calls {
                Thread {
                    let error = #expect(throws: StoreError.self) { try call() }
                    // Nothing was sent to be committed.
                    if case .unavailable? = error {} else { Issue.record("\(error as Any)") }
                    ended.signal()
                }.start()
            }
            store.listen { _ in }
            // So that most of them wait by then; for those that don't it is the same.
            usleep(300_000)
            store.prepareToClose(inSeconds: 0)
            for _ in calls { try #require(ended.wait(timeout: .now() + 60) == .success) }
            // Nor does this wait for the one that listens.
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
