import PostgresStore
import PostgresTesting
import Testing

/// A server whose PostgreSQL stops responding but keeps its connections.
@Suite(.enabled(if: PostgresCluster.isTested)) struct FrozenDatabaseTests {
    @Test func theServerStopsAndCompletesWaitingRequests() throws {
        let cluster = try PostgresCluster()
        let url = try cluster.url(ofDatabase: "lists")
        _ = try PostgresListStore.migrate(url: url)
        let server = try OneLoopServer(PostgresListStore(url: url, options: .patient))
        #expect(try server.client.put("/lists/l", #"{"title":"L"}"#).status == 201)
        let json = [(name: "Content-Type", value: "application/json")]
        let calls = [
            APIRequest(method: "GET", target: "/lists/l"),
            APIRequest(method: "GET", target: "/lists"),
            APIRequest(
                method: "POST", target: "/lists/l/tasks", fields: json,
                body: Array(#"{"title":"x"}"#.utf8)),
        ]
        try cluster.setFrozen(true)
        defer { try? cluster.setFrozen(false) }
        let connections = try calls.map { call in
            let connection = try server.connect()
            connection.write(call)
            return connection
        }
        try server.advance()
        #expect(connections.allSatisfy { !$0.hasData })
        server.service.prepareToStop(inSeconds: 0)
        try server.stop()
        for (connection, call) in zip(connections, calls) {
            let answer = try connection.readAnswer()
            #expect(answer.status == 503, "\(call.method) \(call.target)")
            #expect(answer.code == "unavailable")
            #expect(try Contract.embedded.get().faults(of: answer, to: call) == [])
        }
    }
}
