import RawHTTP
import Testing

@testable import MicroHTTP

@Suite(.serialized) struct DelayedResponseTests {
    private func answer(_ request: Request) -> Response {
        .text("late \(request.pathParameters["id"] ?? "-")")
    }

    @Test func anotherThreadCanRespondLater() throws {
        let responders = HeldResponders()
        try withServer(responders.router()) { port, _ in
            let client = try RawClient(port: port)
            for number in 0..<100 {
                client.send("GET /late/\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                let held = try responders.take(1)
                onAnotherThread {
                    for (request, responder) in held { responder.respond(answer(request)) }
                }
                #expect(try client.readAnswer().body == "late \(number)")
            }
        }
    }

    @Test func suspendedConnectionsDoNotDelayOthers() throws {
        let responders = HeldResponders()
        try withServer(threadCount: 1, responders.router()) { port, _ in
            let waiting = try RawClient(port: port)
            waiting.send("GET /late/1 HTTP/1.1\r\nHost: a\r\n\r\n")
            let held = try responders.take(1)
            let other = try RawClient(port: port)
            #expect(try other.get("/lists/a").body == "list a")
            for (request, responder) in held { responder.respond(answer(request)) }
            #expect(try waiting.readAnswer().body == "late 1")
        }
    }

    @Test func hundredsOfRequestsGetResponsesAtOnce() throws {
        let responders = HeldResponders()
        try withServer(responders.router()) { port, _ in
            let clients = try (0..<300).map { _ in try RawClient(port: port) }
            for round in 0..<5 {
                for (number, client) in clients.enumerated() {
                    client.send("GET /late/\(round)-\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                }
                let held = try responders.take(clients.count)
                onAnotherThread {
                    for (request, responder) in held { responder.respond(answer(request)) }
                }
                for (number, client) in clients.enumerated() {
                    #expect(try client.readAnswer().body == "late \(round)-\(number)")
                }
            }
        }
    }

    @Test func ofSeveralResponsesOnlyTheFirstIsSent() throws {
        let responders = HeldResponders()
        try withServer(responders.router()) { port, _ in
            let clients = try (0..<100).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /late/a HTTP/1.1\r\nHost: a\r\n\r\n") }
            let held = try responders.take(clients.count)
            let threads = (0..<4).compactMap { number in
                LoopThread {
                    for (_, responder) in held { responder.respond(.text("by \(number)")) }
                }
            }
            for thread in threads { thread.join() }
            for client in clients {
                #expect(try client.readAnswer().body.hasPrefix("by "))
                // Only one response was sent: the next one belongs to the next request.
                #expect(try client.get("/lists/a").body == "list a")
            }
        }
    }

    @Test func aResponseToADisconnectedClientIsDiscarded() throws {
        let responders = HeldResponders()
        try withServer(responders.router()) { port, _ in
            for _ in 0..<50 {
                do {
                    let client = try RawClient(port: port)
                    client.send("GET /late/a HTTP/1.1\r\nHost: a\r\n\r\n")
                    let held = try responders.take(1)
                    withExtendedLifetime(client) {}
                    for (request, responder) in held { responder.respond(answer(request)) }
                }
            }
            let client = try RawClient(port: port)
            #expect(try client.get("/lists/a").status == 200)
        }
    }

    @Test func aPreparedResponseIsSentOnManyConnections() throws {
        let body = String(repeating: "0123456789", count: 20_000)
        let responders = HeldResponders()
        try withServer(responders.router()) { port, _ in
            let clients = try (0..<50).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /late/a HTTP/1.1\r\nHost: a\r\n\r\n") }
            let held = try responders.take(clients.count)
            do {
                // Released before anything is read. The connections keep the response.
                let original = Response(
                    status: 200, headers: ["ETag": "\"7\""], body: Array(body.utf8))
                let prepared = try #require(PreparedResponse(original))
                for (_, responder) in held { responder.respond(Response(prepared)) }
            }
            for client in clients {
                let answer = try client.readAnswer()
                #expect(answer["ETag"] == "\"7\"")
                #expect(answer.body == body)
            }
        }
    }
}
