import Glibc
import Synchronization
import Testing

@testable import MicroHTTP

/// Slow clients are disconnected even if they send bytes; clients that wait for a response are not.
@Suite(.serialized) struct DeadlineTests {
    private let head = "PUT /lists/a HTTP/1.1\r\nHost: a\r\n"

    /// - Parameter requestSeconds: long enough for a busy machine to send a request in time.
    private func withHastyServer(
        _ router: Router = .echo(), requestSeconds: Double = 2, idleSeconds: Int = 60,
        _ body: (Int) throws -> Void
    ) throws {
        try withServer(
            router,
            configure: {
                $0.requestTimeoutSeconds = requestSeconds
                $0.idleTimeoutSeconds = idleSeconds
                $0.slowestResponseBytesPerSecond = 64 << 20
            }
        ) { port, _ in try body(port) }
    }

    /// Sends one byte after the other until the server responds.
    private func drip(_ text: String, _ client: RawClient) {
        let bytes = Array(text.utf8)
        var next = 0
        while !client.hasData(), client.send([bytes[next]]) {
            next = min(next + 1, bytes.count - 1)
            usleep(10_000)
        }
    }

    @Test(arguments: [
        "X-A: ", "Content-Length: 1000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nfffff\r\n",
    ])
    func aRequestThatArrivesByteByByteGets408(rest: String) throws {
        try withHastyServer { port in
            let client = try RawClient(port: port)
            client.send(head)
            drip(rest + "a", client)
            let answer = try client.readAnswer()
            #expect(answer.status == 408)
            #expect(answer["Connection"] == "close")
            #expect(answer["Date"]?.hasSuffix(" GMT") == true)
            #expect(answer.body == "the request was not received in time\n")
            #expect(client.isClosed())
        }
    }

    @Test func anIncompleteRequestGets408() throws {
        try withHastyServer { port in
            let client = try RawClient(port: port)
            #expect(try client.get("/").status == 200)
            client.send(head)
            #expect(try client.readAnswer().status == 408)
            #expect(client.isClosed())
        }
    }

    /// The response to an incomplete head is not about the connection's previous request.
    @Test func anIncompleteHeadIsLoggedWithItsOwnTime() throws {
        let entries = Mutex<[AccessLogEntry]>([])
        let router = Router.echo()
        router.accessLog = AccessLog(logsAll: true, slowSeconds: nil) { entry in
            entries.withLock { $0.append(entry) }
        }
        try withHastyServer(router) { port in
            let fresh = try RawClient(port: port)
            fresh.send(head)
            let used = try RawClient(port: port)
            #expect(try used.get("/lists/a").status == 200)
            used.send(head)
            for client in [fresh, used] { #expect(try client.readAnswer().status == 408) }
        }
        let incomplete = entries.withLock { $0 }.filter { $0.status == 408 }
        #expect(incomplete.map(\.path) == ["", ""])
        #expect(incomplete.allSatisfy { (1...600).contains($0.seconds) })
    }

    @Test(arguments: ["", "P", "PUT /lists"])
    func anIdleConnectionIsClosed(text: String) throws {
        try withHastyServer { port in
            let client = try RawClient(port: port)
            client.send(text)
            #expect(client.isClosed())
        }
    }

    @Test(arguments: ["PUT /lists/aaaaaaaaaaaaaaaaaaaaaaaaaa", "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n"])
    func aSlowRequestLineIsDisconnectedAfterTheIdleTime(text: String) throws {
        try withHastyServer(idleSeconds: 2) { port in
            let client = try RawClient(port: port)
            #expect(try client.get("/").status == 200)
            drip(text, client)
            #expect(client.isClosed())
        }
    }

    @Test func aRequestThatTheServerHandlesSlowlyIsNotDisconnected() throws {
        let responders = HeldResponders()
        try withHastyServer(responders.router()) { port in
            let client = try RawClient(port: port)
            client.send("GET /late/a HTTP/1.1\r\nHost: a\r\n\r\n")
            let held = responders.take(1)
            usleep(4_000_000)
            for (_, responder) in held { responder.respond(.text("late")) }
            #expect(try client.readAnswer().body == "late")
            #expect(try client.get("/lists/a").body == "list a")
        }
    }

    @Test func aConnectionInUseStaysOpen() throws {
        try withHastyServer { port in
            let client = try RawClient(port: port)
            for _ in 0..<8 {
                #expect(try client.get("/lists/a").body == "list a")
                usleep(500_000)
            }
        }
    }

    @Test func aClientThatReadsItsResponseByteByByteIsDisconnected() throws {
        let size = 32 << 20
        let router = Router()
        router.on(.get, "/") {
            $1.respond(Response(status: 200, body: [UInt8](repeating: 1, count: size)))
        }
        try withHastyServer(router) { port in
            let slow = try RawClient(port: port, receiveBufferBytes: 4096)
            slow.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            var taken = 0
            while let count = slow.take(upTo: 10) {
                taken += count
                // The client reads the rest at once. The connection ends before the response does.
                if taken < 5_000 { usleep(10_000) }
            }
            #expect(taken < size)
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
            source.waitUntilOpen(1)
            for _ in 0..<3 {
                let client = try RawClient(port: port)
                #expect(client.isClosed())
            }
            clients.removeLast()
            while true {
                let client = try RawClient(port: port)
                client.send("GET /lists/a HTTP/1.1\r\nHost: a\r\n\r\n")
                if (try? client.readAnswer())?.status == 200 { break }
            }
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
