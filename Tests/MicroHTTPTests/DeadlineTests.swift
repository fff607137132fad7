import RawHTTP
import Synchronization
import Testing
import Waiting

@testable import MicroHTTP

/// Slow clients are disconnected even if they send bytes; clients that wait for a response are not.
@Suite(.serialized) struct DeadlineTests {
    private let head = "PUT /lists/a HTTP/1.1\r\nHost: a\r\n"
    private let requestSeconds = 1_000.0
    private let idleSeconds = 2_000.0
    private let clock = TestClock()

    private func withHastyServer(
        _ router: Router = .echo(), _ body: (Int) throws -> Void
    ) throws {
        try withServer(
            threadCount: 1, clock: clock, router,
            configure: {
                $0.requestTimeoutSeconds = requestSeconds
                $0.idleTimeoutSeconds = Int(idleSeconds)
            }
        ) { port, _ in try body(port) }
    }

    /// Sends a text ten times. The server must respond or disconnect after this time, not earlier.
    private func drip(
        _ text: String, _ client: RawClient, port: Int, until seconds: Double
    ) throws {
        try clock.advance(port: port)
        for number in 1...10 {
            client.send(text)
            try clock.advance(seconds: seconds / 10, port: port)
            #expect(client.hasData() == (number == 10))
        }
    }

    @Test(arguments: [
        "X-A: ", "Content-Length: 1000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nfffff\r\n",
    ])
    func aRequestThatArrivesByteByByteGets408(rest: String) throws {
        try withHastyServer { port in
            let client = try RawClient(port: port)
            client.send(head + rest)
            try drip("a", client, port: port, until: requestSeconds)
            let answer = try client.readAnswer()
            #expect(answer.status == 408)
            #expect(answer["Connection"] == "close")
            #expect(answer["Date"]?.hasSuffix(" GMT") == true)
            #expect(answer.body == "the request was not received in time\n")
            #expect(client.isClosed())
        }
    }

    /// The response to an incomplete head is not about the connection's previous request.
    @Test func anIncompleteHeadGets408AndIsLoggedWithItsOwnTime() throws {
        let entries = Mutex<[AccessLogEntry]>([])
        let router = Router.echo()
        router.accessLog = AccessLog(logsAll: true, slowSeconds: nil) { entry in
            entries.withLock { $0.append(entry) }
        }
        try withHastyServer(router) { port in
            let used = try RawClient(port: port)
            #expect(try used.get("/lists/a").status == 200)
            try clock.advance(seconds: requestSeconds / 2, port: port)
            let clients = [try RawClient(port: port), used]
            for client in clients { client.send(head) }
            try clock.advance(port: port)
            try clock.advance(seconds: requestSeconds - 1, port: port)
            for client in clients { #expect(!client.hasData()) }
            try clock.advance(seconds: 1, port: port)
            for client in clients {
                #expect(try client.readAnswer().status == 408)
                #expect(client.isClosed())
            }
        }
        let incomplete = entries.withLock { $0 }.filter { $0.status == 408 }
        #expect(incomplete.map(\.path) == ["", ""])
        #expect(incomplete.map(\.seconds) == [requestSeconds, requestSeconds])
    }

    @Test(arguments: ["", "P", "PUT /lists"])
    func aNewConnectionWithoutARequestIsClosed(text: String) throws {
        try withHastyServer { port in
            let client = try RawClient(port: port)
            client.send(text)
            try drip("", client, port: port, until: requestSeconds)
            #expect(client.isClosed())
        }
    }

    @Test(arguments: [("PUT /lists/a", "a"), ("", "\r\n"), ("", "")])
    func anIdleConnectionIsClosedThoughBytesArrive(begin: String, more: String) throws {
        try withHastyServer { port in
            let client = try RawClient(port: port)
            #expect(try client.get("/").status == 200)
            client.send(begin)
            try drip(more, client, port: port, until: idleSeconds + requestSeconds)
            #expect(client.isClosed())
        }
    }

    @Test func aRequestThatTheServerHandlesSlowlyIsNotDisconnected() throws {
        let responders = HeldResponders()
        try withHastyServer(responders.router()) { port in
            let client = try RawClient(port: port)
            client.send("GET /late/a HTTP/1.1\r\nHost: a\r\n\r\n")
            let held = try responders.take(1)
            for _ in 0..<4 { try clock.advance(seconds: requestSeconds, port: port) }
            for (_, responder) in held { responder.respond(.text("late")) }
            #expect(try client.readAnswer().body == "late")
            #expect(try client.get("/lists/a").body == "list a")
        }
    }

    @Test func aConnectionInUseStaysOpen() throws {
        try withHastyServer { port in
            let client = try RawClient(port: port)
            for _ in 0..<4 {
                #expect(try client.get("/lists/a").body == "list a")
                for _ in 0..<2 { try clock.advance(seconds: requestSeconds, port: port) }
            }
        }
    }

    @Test func theNumberOfConnectionsOfAClientIsLimited() throws {
        let source = EventSourceStub()
        try withServer(source.router(), configure: { $0.connectionsPerClient = 3 }) { port, _ in
            var clients = try (0..<3).map { _ in try RawClient(port: port) }
            for client in clients { #expect(try client.get("/lists/a").status == 200) }
            // A stream still counts after its socket has left libmicrohttpd's connection.
            clients[2].send("GET /source HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try clients[2].readHead().status == 200)
            try source.waitUntilOpen(1)
            for _ in 0..<3 { #expect(try RawClient(port: port).isClosed()) }
            clients.removeLast()
            try waitUntil {
                let client = try RawClient(port: port)
                client.send("GET /lists/a HTTP/1.1\r\nHost: a\r\n\r\n")
                return (try? client.readAnswer())?.status == 200
            }
        }
    }

    @Test func aNetworkGetsItsConnectionsBack() throws {
        let limit = ClientConnectionLimit(limit: 1)
        for text in ["2001:db8::1", "2001:db8::2", "10.0.0.1", "10.0.0.1"] {
            let address = try #require(ClientAddress(text))
            let share = limit.take(address)
            #expect(share != nil, "\(text)")
            #expect(limit.take(address) == nil)
            withExtendedLifetime(share) {}
        }
    }

    @Test func addressesAreParsedAndFormatted() throws {
        let cases = [
            ("127.0.0.1", "127.0.0.1"), ("::ffff:10.1.2.3", "10.1.2.3"), ("[::1]", "::"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ]
        for (text, network) in cases {
            #expect(try #require(ClientAddress(text)).network.description == network)
        }
        #expect(ClientAddress("10.0.0.256") == nil)
        #expect(ClientAddress("a") == nil)
    }
}
