import Foundation
import PostgresStore
import PostgresTesting
import ReorderAPI
import ReorderService
import StoreTesting
import Testing
import Waiting

@Suite struct ReadinessTests {
    @Test(arguments: Setup.all)
    func aServerWithAReachableStoreIsReady(setup: Setup) throws {
        try withServer(setup) { server throws in
            for path in ["/readyz", "/readyz/writes"] {
                #expect(try server.client.get(path).status == 200)
                #expect(try server.client.get(path).json == ["status": "ok"])
            }
        }
    }

    /// It still serves reads, so a load balancer must not give it up.
    @Test func aServerThatCantStoreIsNotReadyForWritesUntilItCan() throws {
        let (store, clock) = (FailingStore(), TestClock.stopped)
        let service = ListService.quiet(store, environment: clock.environment)
        let client = InProcessClient(router: ReorderAPI(service: service).makeRouter())
        #expect(try client.put("/lists/l", #"{"title":""}"#).status == 201)
        store.fail(.unavailable(reason: "a full disk"))
        #expect(try client.send("PATCH", "/lists/l", #"{"title":"x"}"#).status == 503)
        let answer = try client.get("/readyz/writes")
        #expect(answer.status == 503)
        #expect(answer.code == "unavailable")
        #expect(answer.json["detail"] == "The last change could not be stored.")
        for path in ["/healthz", "/readyz", "/lists/l"] {
            #expect(try client.get(path).status == 200)
        }
        let metrics = try client.get("/metrics").text
        #expect(metrics.contains("\nreorderd_ready 1\n"))
        #expect(metrics.contains("\nreorderd_ready_for_writes 0\n"))
        store.fail(nil)
        // The service tries a commit every few seconds. Only readiness requests are sent.
        clock.advance(seconds: 10)
        try waitUntil { try client.get("/readyz/writes").status == 200 }
        try service.stopIdle()
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func aServerWithoutItsSharedStoreIsNotReadyAndRefuses() throws {
        let setup = Setup(transport: .inProcess, store: .twoServers)
        let clock = TestClock.stopped
        try withServer(setup, clock: clock) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let database = server.folder.lastPathComponent
            let cluster = try PostgresCluster.shared()
            try cluster.setConnectable(false, database: database)
            // Each of the two servers must detect it.
            for _ in 0..<4 { _ = try server.client.get("/lists/l") }
            for (method, path, body) in [
                ("GET", "/readyz", nil), ("GET", "/readyz/writes", nil), ("GET", "/lists/l", nil),
                ("GET", "/lists", nil),
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
            try waitUntil {
                // The servers try again after some time.
                clock.advance(seconds: 1)
                readyCount = try server.client.get("/readyz").status == 200 ? readyCount + 1 : 0
                return readyCount == 2
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
            try wait(false)
            try cluster.setConnectable(true, database: name)
            try wait(true)
        }
    }

    @Test(.enabled(if: PostgresCluster.isTested)) func aServerWhoseStoreCantBeReadIsNotReady()
        throws
    {
        try withIdleService(notifies: true) { cluster, name, wait in
            _ = try cluster.psql("ALTER SCHEMA reorderd RENAME TO elsewhere", in: name)
            try wait(false)
            _ = try cluster.psql("ALTER SCHEMA elsewhere RENAME TO reorderd", in: name)
            try wait(true)
        }
    }

    /// Runs `body` with a service that is ready, and a function that waits until its readiness
    /// changes.
    private func withIdleService(
        notifies: Bool,
        _ body: (PostgresCluster, _ database: String, _ wait: (Bool) throws -> Void) throws -> Void
    ) throws {
        let cluster = try PostgresCluster.shared()
        let name = "idle-\(UUID().uuidString)"
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        _ = try PostgresListStore.migrate(url: url)
        // Nothing but the watch of the store may detect the change.
        var environment = ServiceEnvironment.system
        environment.makeWorker = {
            $0 == "retention worker"
                ? IdleWorker() as any Worker : ThreadWorker($0, threadCount: $1)
        }
        var options = PostgresListStore.Options.patient
        options.notifies = notifies
        let service = ListService.quiet(
            try PostgresListStore(url: url, options: options), environment: environment)
        func wait(forReadiness isReady: Bool) throws {
            try waitUntil { service.isReady == isReady }
        }
        try wait(forReadiness: true)
        try body(cluster, name, wait)
        try service.stopIdle()
    }
}

/// Does nothing.
private final class IdleWorker: Worker {
    let isStopping = false
    func start(first _: NextStep, _: @escaping @Sendable () -> NextStep) {}
    func wake() {}
    func stop() {}
    func join(until _: UInt64) -> Bool { true }
}
