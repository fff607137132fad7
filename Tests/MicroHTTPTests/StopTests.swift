import RawHTTP
import Synchronization
import Testing
import Waiting

@testable import MicroHTTP

@Suite(.serialized) struct StopTests {
    /// The commit of a write in progress is completed, so the response to the write must not say that
    /// nothing was changed.
    @Test(arguments: [
        ("GET", HTTPFailure.unavailable), ("POST", .outcomeUnknown),
    ])
    func suspendedRequestsGet503AfterTheGracePeriod(method: String, failure: HTTPFailure) throws {
        let responders = HeldResponders()
        try withServer(responders.router()) { port, server in
            let clients = try (0..<100).map { _ in try RawClient(port: port) }
            for client in clients {
                client.send("\(method) /late/a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            }
            let held = try responders.take(clients.count)
            server.stop(graceSeconds: 0)
            for client in clients {
                let answer = try client.readAnswer()
                #expect(answer.status == 503)
                #expect(answer["Connection"] == "close")
                #expect(answer.bytes == failure.plainResponse().body)
            }
            // Too late, but allowed.
            for (_, responder) in held { responder.respond(.text("late")) }
        }
    }

    @Test func runningRequestsCompleteInTheGracePeriod() throws {
        let responders = HeldResponders()
        try withServer(responders.router()) { port, server in
            let clients = try (0..<20).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /late/a HTTP/1.1\r\nHost: a\r\n\r\n") }
            let held = try responders.take(clients.count)
            let stopping = LoopThread { server.stop(graceSeconds: hangSeconds) }
            try waitUntil { (try? RawClient(port: port)) == nil }
            for (_, responder) in held { responder.respond(.text("in time")) }
            for client in clients {
                let answer = try client.readAnswer()
                #expect(answer.body == "in time")
                #expect(answer["Connection"] == "close")
                #expect(client.isClosed())
            }
            stopping?.join()
        }
    }

    @Test func idleAndHalfSentConnectionsAreClosed() throws {
        try withServer(.echo()) { port, server in
            let idle = try RawClient(port: port)
            #expect(try idle.get("/").status == 200)
            let half = try RawClient(port: port)
            half.send("PUT /lists/a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
            let fresh = try RawClient(port: port)
            server.stop(graceSeconds: 0)
            #expect(idle.isClosed())
            #expect(half.isClosed())
            #expect(fresh.isClosed())
            #expect(throws: RawClient.Failure.self) { _ = try RawClient(port: port) }
        }
    }

    @Test func stoppingUnderLoadRespondsOnEveryConnection() throws {
        let responders = HeldResponders()
        try withServer(responders.router()) { port, server in
            let answered = Atomic<Int>(0)
            let clients = try (0..<16).map { _ in try RawClient(port: port) }
            let load = clients.enumerated().compactMap { number, client in
                // Each client is used by one thread only.
                nonisolated(unsafe) let client = client
                return LoopThread {
                    while let answer = try? client.get("/lists/\(number)") {
                        guard answer.body == "list \(number)" else { return }
                        answered.add(1, ordering: .relaxed)
                        if answer["Connection"] == "close" { return }
                    }
                }
            }
            try waitUntil { answered.load(ordering: .relaxed) >= 200 }
            server.stop(graceSeconds: hangSeconds)
            for thread in load { thread.join() }
            #expect(load.count == 16)
        }
    }

    @Test func stoppingTwiceOrBeforeStartingDoesNothing() throws {
        let server = HTTPServer(router: .echo())
        server.stop()
        #expect(throws: HTTPServerError.startedBefore) { _ = try server.start() }
        try withServer(.echo()) { _, server in
            server.stop()
            server.stop()
        }
    }

    @Test func manyServersStartAndStop() throws {
        for _ in 0..<30 {
            let responders = HeldResponders()
            try withServer(responders.router()) { port, server in
                let client = try RawClient(port: port)
                client.send("GET /late/a HTTP/1.1\r\nHost: a\r\n\r\n")
                let held = try responders.take(1)
                let answering = LoopThread {
                    for (_, responder) in held { responder.respond(.text("a")) }
                }
                server.stop(graceSeconds: 0)
                answering?.join()
                let status = try client.readAnswer().status
                #expect(status == 200 || status == 503)
            }
        }
    }
}
