import Foundation
import PostgresTesting
import ReorderAuth
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderAPI
@testable import ReorderService

/// Two servers of a database, of which one has a clock that is 400 days ahead or behind.
@Suite(.enabled(if: PostgresCluster.isTested)) struct WrongClockTests {
    private struct Server {
        let service: ListService
        let client: any APIClient
    }

    private static func start(
        on store: any ListStore, daysAhead: Double, _ control: AccessControl
    ) throws -> Server {
        var environment = ServiceEnvironment.system
        environment.date = { Date(timeIntervalSinceNow: daysAhead * 86_400) }
        let service = ListService.quiet(store, environment: environment)
        let api = ReorderAPI(service: service, streamLimit: 10, access: control)
        try api.followTokens()
        let client = InProcessClient(router: api.makeRouter())
        return Server(service: service, client: TokenClient(client, "admin"))
    }

    private func withServers(
        daysAhead: Double, _ body: (_ right: Server, _ wrong: Server) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "reorderd-\(UUID().uuidString)")
        let stores = try Setup.Store.twoServers.open(in: folder, MemoryListStore())
        defer { try? Setup.Store.twoServers.remove(folder) }
        let control = AccessControl(tokens: try TestTokens.table())
        let right = try Self.start(on: stores[0], daysAhead: 0, control)
        let wrong = try Self.start(on: stores[1], daysAhead: daysAhead, control)
        defer {
            try? right.service.stopIdle()
            try? wrong.service.stopIdle()
        }
        try body(right, wrong)
    }

    @Test(arguments: [400.0, -400.0])
    func itDeletesAndRefusesNothing(daysAhead: Double) throws {
        try withServers(daysAhead: daysAhead) { right, wrong throws in
            #expect(try right.client.put("/lists/gone", draft(["a"])).status == 201)
            #expect(try right.client.delete("/lists/gone").status == 204)
            #expect(try right.client.put("/lists/l", draft(["b", "c"])).status == 201)
            let key = ["Idempotency-Key": "once"]
            let move = #"{"task":"b","after":"c"}"#
            #expect(try right.client.post("/lists/l/move", move, key).status == 200)
            let link = #"{"scope":"read"}"#
            #expect(try right.client.post("/lists/l/shares", link).status == 201)

            wrong.service.retentionWorker.makePass()
            // This also removes links that have expired.
            #expect(try wrong.client.post("/lists/l/shares", link).status == 201)
            for server in [right, wrong] {
                let bin = try server.client.get("/bin")
                #expect(bin.json["lists"]?.array.map { $0["id"] } == ["gone"], "\(bin.text)")
                let repeated = try server.client.post("/lists/l/move", move, key)
                #expect(repeated["Idempotent-Replay"] == "true", "\(repeated.text)")
                let shares = try server.client.get("/lists/l/shares")
                #expect(shares.json["shares"]?.array.count == 2)
                let changes = try server.client.get("/lists/l/changes")
                #expect(changes.json["changes"]?.array.count == 2)
            }
            // Its timestamps are the database's, too.
            #expect(try wrong.client.send("PATCH", "/tasks/c", #"{"title":"d"}"#).status == 200)
            let at = try right.client.get("/tasks/c").json["updatedAt"]?.string
            let time = try #require(at.flatMap { try? Date($0, strategy: .iso8601WithFraction) })
            #expect(abs(time.timeIntervalSinceNow) < 100 * 86_400)
            #expect(try wrong.client.post("/lists/gone/restore").status == 201)
        }
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    fileprivate static var iso8601WithFraction: Self {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    }
}
