import Synchronization
import Testing

@testable import MicroHTTP

@Suite(.serialized) struct ManyConnectionsTests {
    /// While the only loop is kept in a handler, requests arrive on all connections: they are ready
    /// at once when it comes back. libmicrohttpd's own thread stalls at each multiple of 128.
    @Test(arguments: [127, 128, 129, 255, 256, 257])
    func allReadyAtOnceAreAnswered(count: Int) throws {
        let gate = Mutex<Void>(())
        var router = Router.echo()
        router.on(.get, "/gate") { _, responder in
            gate.withLock { _ in }
            responder.respond(.text("open"))
        }
        try withServer(threadCount: 1, router) { port, _ in
            let keeper = try RawClient(port: port)
            let clients = try (0..<count).map { _ in try RawClient(port: port) }
            for client in clients { #expect(try client.get("/").status == 200) }
            for _ in 0..<3 {
                gate.withLock { _ in
                    keeper.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\n")
                    for client in clients {
                        client.send("GET /lists/a HTTP/1.1\r\nHost: a\r\n\r\n")
                    }
                }
                for client in clients { #expect(try client.readAnswer().body == "list a") }
                #expect(try keeper.readAnswer().body == "open")
            }
        }
    }

    @Test func connectionsOverTheLimitWaitTheirTurn() throws {
        try withServer(threadCount: 2, .echo(), configure: { $0.connectionLimit = 4 }) { port, _ in
            var clients = try (0..<12).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /lists/a HTTP/1.1\r\nHost: a\r\n\r\n") }
            while !clients.isEmpty {
                // At least one of those that are left has been accepted; whichever it is answers.
                let served = clients.firstIndex { $0.hasData() }
                guard let served else { continue }
                #expect(try clients[served].readAnswer().body == "list a")
                clients.remove(at: served)
            }
        }
    }
}
