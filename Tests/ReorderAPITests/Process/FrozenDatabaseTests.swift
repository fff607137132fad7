import Foundation
import PostgresTesting
import ProcessTesting
import Testing

/// A server whose PostgreSQL stops responding but keeps its connections.
@Suite(.enabled(if: PostgresCluster.isTested)) struct FrozenDatabaseTests {
    @Test func theServerStopsInTenSecondsAndCompletesWaitingRequests() throws {
        let cluster = try PostgresCluster()
        let url = try cluster.url(ofDatabase: "lists")
        let server = try ServerProcess(["--port", "0", "--store", url, "--migrate"])
        let client = CheckedClient(SocketClient(port: server.port))
        #expect(try client.send("PUT", "/lists/l", #"{"title":"L"}"#).status == 201)
        let json = [(name: "Content-Type", value: "application/json")]
        let calls = [
            APIRequest(method: "GET", target: "/lists/l"),
            APIRequest(method: "GET", target: "/lists"),
            APIRequest(
                method: "POST", target: "/lists/l/tasks", fields: json,
                body: Array(#"{"title":"x"}"#.utf8)),
        ]
        // The server reads requests on accepted connections before it ends.
        let connections = try calls.map { _ in
            let connection = try SocketClient.Connection(port: server.port)
            connection.write(APIRequest(method: "GET", target: "/healthz"))
            #expect(try connection.readAnswer().status == 200)
            return connection
        }
        try cluster.setFrozen(true)
        defer { try? cluster.setFrozen(false) }
        for (connection, call) in zip(connections, calls) { connection.write(call) }
        // Usually all requests wait by then. The result is the same for those that don't.
        usleep(500_000)
        let start = Date()
        server.send(signal: SIGTERM)
        // Ends the test if the process does not end.
        let isEnded = DispatchSemaphore(value: 0)
        let process = server.identifier
        Thread {
            if isEnded.wait(timeout: .now() + 60) == .timedOut { kill(process, SIGKILL) }
        }.start()
        defer { isEnded.signal() }
        #expect(try server.wait().exitCode == 0)
        // The documented limit is 10 s; the rest is for a busy machine.
        #expect(-start.timeIntervalSinceNow < 20)
        for (connection, call) in zip(connections, calls) {
            let answer = try connection.readAnswer()
            #expect(answer.status == 503, "\(call.method) \(call.target)")
            #expect(answer.code == "unavailable")
            #expect(try Contract.embedded.get().faults(of: answer, to: call) == [])
        }
    }
}
