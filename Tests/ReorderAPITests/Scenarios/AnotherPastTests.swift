import Foundation
import Logging
import MicroHTTP
import PostgresStore
import PostgresTesting
import ProcessTesting
import ReorderStore
import StoreTesting
import Testing
import Waiting

@testable import ReorderAPI
@testable import ReorderService

/// Servers whose database goes back to an earlier state while they run, as after a failover that lost
/// commits, or a restore.
@Suite(.enabled(if: PostgresCluster.isTested))
struct AnotherPastTests {
    @Test func nothingIsAcceptedOnTheGroundOfLostChanges() throws {
        try withServers { servers, database in
            let (first, third) = (servers[0], servers[2])
            #expect(
                try first.client.put("/lists/l", draft((0..<10).map { "t\($0)" })).status == 201)
            let epoch = try #require(try first.client.get("/lists/l").json["epoch"]?.string)
            try database.save()
            for index in 0..<5 { try third.create("lost\(index)") }
            let tag = try #require(try third.client.get("/lists/l")["ETag"])
            #expect(tag == "\"6-\(epoch)\"")
            try database.restore()

            // This server has seen nothing of what is lost.
            for index in 0..<8 { try first.create("new\(index)") }
            let child = #"{"id":"child","title":"T","parent":"lost4"}"#
            let creation = try third.settled { try $0.post("/lists/l/tasks", child) }
            #expect(creation.status == 409)
            #expect(creation.code == "anchor_gone")

            let documents = try servers.map { server in
                try server.settled(in: { $0 != epoch }) { try $0.get("/lists/l") }
            }
            #expect(documents[0].json["version"]?.int == 9)
            for document in documents {
                #expect(document.text == documents[0].text)
                #expect(document["ETag"] == documents[0]["ETag"])
            }
            // Each server changes the list.
            for (index, server) in servers.enumerated() { try server.create("last\(index)") }
            let again = try servers.map { try $0.client.get("/lists/l").text }
            #expect(Set(again).count == 1)
            #expect(try database.check() == 0)
            #expect(third.log.lines.contains { $0.hasPrefix("list l went back") })
        }
    }

    @Test func clientsGetRefetchAfterALoss() throws {
        try withServers { servers, database in
            let server = servers[0]
            #expect(try server.client.put("/lists/l", draft(["a", "b"])).status == 201)
            try database.save()
            try server.create("lost")
            let tag = try #require(try server.client.get("/lists/l")["ETag"])
            let token = String(tag.dropFirst().dropLast())
            let stream = try server.client.watch("l", "?since=1\(token.dropFirst())")
            try stream.expect("hello")
            try stream.expect("change")
            let feed = try server.client.watchFeed()
            let hello = try feed.expect("hello")
            let place = try #require(hello.data["next"]?.string)
            let poll = Pending { try server.client.get("/lists/l/changes?since=\(token)&wait=60") }
            try database.restore()
            // The other servers go on, and the list reaches the version again.
            try servers[1].create("other")

            _ = try server.settled(in: { !token.hasSuffix($0) }) { try $0.get("/lists/l") }
            #expect(try stream.next() == nil)
            #expect(try feed.next() == nil)
            #expect(try [410, 503].contains(poll.get().status))
            for server in servers {
                let document = try server.settled(in: { !token.hasSuffix($0) }) {
                    try $0.get("/lists/l", ["If-None-Match": tag])
                }
                #expect(document.status == 200)
                #expect(try server.client.get("/lists/l/changes?since=\(token)").status == 410)
                let write = try server.client.send(
                    "PATCH", "/lists/l", #"{"title":"x"}"#, ["If-Match": tag])
                #expect(write.status == 412)
                let again = try server.client.watch("l", "", ["Last-Event-ID": token])
                try again.expect("hello")
                try again.expect("refetch")
                let feed = try server.client.watchFeed("", ["Last-Event-ID": place])
                try feed.expect("hello")
                try feed.expect("refetch")
            }
        }
    }

    @Test func aLossBeginsOneEpochOnAllServers() throws {
        try withServers { servers, database in
            #expect(try servers[0].client.put("/lists/l", draft(["a"])).status == 201)
            try database.save()
            try servers[0].create("lost")
            for server in servers { #expect(try server.client.get("/lists/l").status == 200) }
            let former = try database.epoch()
            try database.restore()
            let epochs = try servers.map { server in
                try server.settled(in: { $0 != former }) { try $0.get("/lists/l") }.json["epoch"]?
                    .string
            }
            let epoch = try database.epoch()
            #expect(epochs == [epoch, epoch, epoch])
        }
    }

    @Test func aRestoreOfAnEarlierEpochBeginsAnotherOne() throws {
        try withServers { servers, database in
            #expect(try servers[0].client.put("/lists/l", draft(["a"])).status == 201)
            let first = try database.epoch()
            try database.save()
            // Servers follow an epoch that an operator begins, without a restart.
            try PostgresListStore.beginEpoch(url: database.url)
            let second = try database.epoch()
            for server in servers {
                _ = try server.settled(in: { $0 == second }) { try $0.get("/lists/l") }
            }
            try servers[1].create("lost")
            try database.restore()
            #expect(try database.epoch() == first)
            for server in servers {
                let document = try server.settled(in: { $0 != first && $0 != second }) {
                    try $0.get("/lists/l")
                }
                #expect(document.json["version"]?.int == 1)
            }
        }
    }

    @Test func noEpochBeginsIfNothingIsLost() throws {
        try withServers { servers, database in
            #expect(try servers[0].client.put("/lists/l", draft(["a"])).status == 201)
            for index in 0..<3 { try servers[index].create("t\(index)") }
            let epoch = try database.epoch()
            try database.endConnections()
            for server in servers {
                let document = try server.settled { try $0.get("/lists/l") }
                #expect(document.json["epoch"]?.string == epoch)
            }
            // The last change that the first server has seen is pruned, and later ones are not.
            for index in 3..<9 { try servers[1].create("t\(index)") }
            try servers[1].prune()
            #expect(try servers[0].client.get("/lists/l").json["version"]?.int == 10)
            try servers[0].create("t9")
            #expect(try database.epoch() == epoch)
            #expect(servers.allSatisfy { $0.log.lines.isEmpty })
        }
    }

    // MARK: Servers

    /// Three servers on one database.
    private func withServers(_ body: ([Server], Database) throws -> Void) throws {
        let database = try Database()
        defer { try? database.remove() }
        let servers = try (0..<3).map { _ in try Server(database) }
        do {
            try body(servers, database)
        } catch {
            for server in servers { try? server.served.stop() }
            throw error
        }
        for server in servers { try server.served.stop() }
    }

    /// A server without its process.
    private final class Server: Sendable {
        let served: ServedAPI
        let client: InProcessClient
        let log = LogLines()

        init(_ database: Database) throws {
            let open = { @Sendable [log, url = database.url] (former: ReorderAPI?) in
                let store = try PostgresListStore(url: url, options: .patient)
                let service = ListService(
                    store: store, logger: Logger(label: "test") { _ in log.handler },
                    onLost: { Issue.record("the store lost a sync: \($0)") })
                return ReorderAPI(service: service, inPlaceOf: former)
            }
            served = ServedAPI(try open(nil)) { former, _ in try? open(former) }
            client = InProcessClient(router: served.makeRouter())
        }

        /// Adds a task to the list `l`.
        func create(_ id: String) throws {
            let task = #"{"id":"\#(id)","title":"T"}"#
            let created = try settled { try $0.post("/lists/l/tasks", task) }
            #expect(created.status == 201, "\(created.text)")
        }

        /// Repeats a request while the server is unavailable, and serves an epoch that does not fit.
        func settled(
            in fits: (String) -> Bool = { _ in true },
            _ send: (InProcessClient) throws -> APIResponse
        ) throws -> APIResponse {
            var response: APIResponse?
            try waitUntil {
                let new = try send(client)
                response = new
                return new.status != 503 && new.json["epoch"]?.string.map(fits) ?? true
            }
            return try #require(response)
        }

        func prune() throws {
            let store = served.current.service.store
            while try store.pruneChanges(olderThan: .max, keepingLast: 1, limit: .max) {}
        }
    }

    /// A database that can go back.
    private final class Database: Sendable {
        private let cluster: PostgresCluster
        private let name = "test-\(UUID().uuidString)"
        let url: String
        init() throws {
            cluster = try PostgresCluster.shared()
            url = try cluster.url(ofDatabase: name)
            _ = try PostgresListStore.migrate(url: url)
        }

        func remove() throws { try cluster.remove(database: name) }

        func endConnections() throws { try cluster.endConnections(to: name) }

        func save() throws { try cluster.save(database: name) }

        func restore() throws { try cluster.rewind(database: name) }

        func epoch() throws -> String { try cluster.epoch(ofDatabase: name) }

        /// The exit code of `reorderd check`.
        func check() throws -> Int32 { try ServerProcess.run(["check", url]).exitCode }
    }
}
