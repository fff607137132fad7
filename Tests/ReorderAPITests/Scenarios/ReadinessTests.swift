import PostgresStore
import PostgresTesting
import Testing

@Suite struct ReadinessTests {
    @Test(arguments: Setup.all)
    func aServerWhoseStoreIsThereIsReady(setup: Setup) throws {
        try withServer(setup) { server throws in
            #expect(try server.client.get("/readyz").status == 200)
            #expect(try server.client.get("/readyz").json == ["status": "ok"])
        }
    }

    @Test
    func withoutItsStoreASharedServerIsNotReadyAndRefusesAtOnce() throws {
        let setup = Setup(transport: .inProcess, store: .twoServers)
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let database = server.folder.lastPathComponent
            let cluster = try PostgresCluster.shared()
            try cluster.setConnectable(false, database: database)
            // Each of the two has to find out.
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
                }
            }
            #expect(try server.client.get("/healthz").status == 200)
            try cluster.setConnectable(true, database: database)
            // Both of them: one answer is this one's, the next the other's.
            var readyCount = 0
            while readyCount < 2 {
                readyCount = try server.client.get("/readyz").status == 200 ? readyCount + 1 : 0
            }
            let moved = try server.client.post("/lists/l/move", #"{"task":"a","position":1}"#)
            #expect(moved.status == 200, "\(moved.text)")
            #expect(try server.order() == ["b", "a"])
        }
    }
}
