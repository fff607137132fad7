import Foundation
import Logging
import PostgresStore
import PostgresTesting
import ReorderAPI
import ReorderService
import Testing

@Suite struct ReadinessTests {
    @Test(arguments: Setup.all)
    func aServerWithAReachableStoreIsReady(setup: Setup) throws {
        try withServer(setup) { server throws in
            #expect(try server.client.get("/readyz").status == 200)
            #expect(try server.client.get("/readyz").json == ["status": "ok"])
        }
    }

    @Test func aServerThatCantStoreIsNotReadyUntilItCan() throws {
        let store = FailingStore()
        let service = ListService(
            store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("the store lost a sync: \($0)") })
        let client = InProcessClient(router: ReorderAPI(service: service).makeRouter())
        #expect(try client.put("/lists/l", #"{"title":""}"#).status == 201)
        store.fail(.unavailable(reason: "a full disk"))
        #expect(try client.send("PATCH", "/lists/l", #"{"title":"x"}"#).status == 503)
        let answer = try client.get("/readyz")
        #expect(answer.status == 503)
        #expect(answer.code == "unavailable")
        #expect(answer.json["detail"] == "The last change could not be stored.")
        #expect(try client.get("/healthz").status == 200)
        store.fail(nil)
        // Only readiness requests are sent. The time limit is long: it is reached only if the
        // server never becomes ready.
        let deadline = Date(timeIntervalSinceNow: 60)
        while try client.get("/readyz").status != 200, Date() < deadline { usleep(10_000) }
        #expect(try client.get("/readyz").status == 200)
        try service.stop()
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func aServerWithoutItsSharedStoreIsNotReadyAndRefusesAtOnce() throws {
        let setup = Setup(transport: .inProcess, store: .twoServers)
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let database = server.folder.lastPathComponent
            let cluster = try PostgresCluster.shared()
            try cluster.setConnectable(false, database: database)
            // Each of the two servers must detect it.
            for _ in 0..<4 { _ = try server.client.get("/lists/l") }
            for (method, path, body) in [
                ("GET", "/readyz", nil), ("GET", "/lists/l", nil), ("GET", "/lists", nil),
                ("GET", "/tasks/a", nil), ("GET", "/lists/l/changes?since=0", nil),
                ("POST", "/lists/l/move", #"{"task":"a","position":1}"#),
                ("POST", "/lists/l/tasks", #"{"title":"x"}"#),
            ] {
                for _ in 0..<2 {
                    let answer = try server.client.send(method, path, body)
                    #expect(answer.status == 503, "\(method) \(path)")
                    #expect(answer.code == "unavailable")
                    #expect(answer["Retry-After"] != nil)
                    let what = method == "GET" ? "be read" : "be stored"
                    #expect(answer.json["detail"]?.string?.contains(what) == true, "\(answer.text)")
                }
            }
            #expect(try server.client.get("/healthz").status == 200)
            try cluster.setConnectable(true, database: database)
            // Requests alternate between the two servers, so two successes in a row are one of
            // each.
            var readyCount = 0
            while readyCount < 2 {
                readyCount = try server.client.get("/readyz").status == 200 ? readyCount + 1 : 0
            }
            let moved = try server.client.post("/lists/l/move", #"{"task":"a","position":1}"#)
            #expect(moved.status == 200, "\(moved.text)")
            #expect(try server.order() == ["b", "a"])
        }
    }

    /// The server receives notifications, or polls. It gets no requests.
    @Test(.enabled(if: PostgresCluster.isTested), arguments: [true, false])
    func anIdleServerDetectsAnUnreachableStore(notifies: Bool) throws {
        try withIdleService(notifies: notifies) { cluster, name, wait in
            try cluster.setConnectable(false, database: name)
            wait(false)
            try cluster.setConnectable(true, database: name)
            wait(true)
        }
    }

    @Test func aServerWhoseStoreCantBeReadIsNotReady() throws {
        try withIdleService(notifies: true) { cluster, name, wait in
            _ = try cluster.psql("ALTER SCHEMA reorderd RENAME TO elsewhere", in: name)
            wait(false)
            _ = try cluster.psql("ALTER SCHEMA elsewhere RENAME TO reorderd", in: name)
            wait(true)
        }
    }

    /// Runs `body` with a service that is ready, and a function that waits until its readiness
    /// changes.
    private func withIdleService(
        notifies: Bool,
        _ body: (PostgresCluster, _ database: String, _ wait: (Bool) -> Void) throws -> Void
    ) throws {
        let cluster = try PostgresCluster.shared()
        let name = "idle-\(UUID().uuidString)"
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        _ = try PostgresListStore.migrate(url: url)
        let service = ListService(
            store: try PostgresListStore(url: url, options: .init(notifies: notifies)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("the store lost a sync: \($0)") })
        // A shorter time than until the next query for another reason.
        func wait(forReadiness isReady: Bool) {
            let deadline = Date(timeIntervalSinceNow: 30)
            while service.isReady != isReady, Date() < deadline { usleep(1_000) }
            #expect(service.isReady == isReady)
        }
        wait(forReadiness: true)
        try body(cluster, name, wait)
        try service.stop()
    }
}
