import RawHTTP
import Synchronization
import Testing
import Waiting

@testable import MicroHTTP

@Suite(.serialized) struct ManyConnectionsTests {
    /// Requests arrive on all connections while a handler blocks the only loop, so all are ready when
    /// it continues. libmicrohttpd's own thread stalls at each multiple of 128.
    @Test(arguments: [127, 128, 129, 255, 256, 257])
    func connectionsThatAreReadyTogetherAllGetResponses(count: Int) throws {
        let gate = Mutex<Void>(())
        let router = Router.echo()
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

    /// Waits until the loops have this number of connections, and returns the number of each loop.
    private func connections(of router: Router, count: Int) throws -> [Int] {
        var connections: [Int] = []
        try waitUntil {
            connections = router.recorder.connectionsOfLoops
            return connections.reduce(0, +) == count
        }
        return connections
    }

    @Test(arguments: [(2, 21), (4, 21), (2, 100), (4, 100)])
    func connectionsThatOpenTogetherAreDistributedEvenly(threads: Int, count: Int) throws {
        let router = Router.echo()
        try withServer(threadCount: threads, router) { port, _ in
            for _ in 0..<3 {
                // A closed connection counts until its loop has detected it.
                #expect(try connections(of: router, count: 0).count == threads)
                let clients = try (0..<count).map { _ in try RawClient(port: port) }
                let counts = try connections(of: router, count: count)
                #expect(counts.count == threads)
                #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1, "\(counts)")
                for client in clients { #expect(try client.get("/").status == 200) }
                withExtendedLifetime(clients) {}
            }
        }
    }

    /// While a handler blocks one loop, the other one gets the connections.
    @Test func aBlockedLoopGetsNoConnections() throws {
        let gate = Mutex<Void>(())
        let entered = Atomic<Bool>(false)
        let router = Router.echo()
        router.on(.get, "/gate") { _, responder in
            entered.store(true, ordering: .sequentiallyConsistent)
            gate.withLock { _ in }
            responder.respond(.text("open"))
        }
        let clock = TestClock()
        try withServer(threadCount: 2, clock: clock, router) { port, _ in
            let keeper = try RawClient(port: port)
            try gate.withLock { _ in
                keeper.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\n")
                try waitUntil { entered.load(ordering: .sequentiallyConsistent) }
                // A loop counts as blocked after a second.
                clock.advance(seconds: 1.1)
                let clients = try (0..<10).map { _ in try RawClient(port: port) }
                for client in clients { #expect(try client.get("/").status == 200) }
            }
            #expect(try keeper.readAnswer().body == "open")
        }
    }

    @Test func theConnectionLimitHoldsForAllLoopsTogether() throws {
        let router = Router.echo()
        try withServer(threadCount: 4, router, configure: { $0.connectionLimit = 6 }) { port, _ in
            var clients = try (0..<6).map { _ in try RawClient(port: port) }
            for client in clients { #expect(try client.get("/").status == 200) }
            let more = try RawClient(port: port)
            more.send("GET /lists/a HTTP/1.1\r\nHost: a\r\n\r\n")
            for client in clients { #expect(try client.get("/").status == 200) }
            #expect(!more.hasData())
            clients.removeLast()
            #expect(try more.readAnswer().body == "list a")
        }
    }

    @Test func connectionsOverTheLimitWait() throws {
        try withServer(threadCount: 2, .echo(), configure: { $0.connectionLimit = 4 }) { port, _ in
            var clients = try (0..<12).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /lists/a HTTP/1.1\r\nHost: a\r\n\r\n") }
            try waitUntil {
                // At least one of the remaining connections was accepted, and gets its response.
                if let served = clients.firstIndex(where: { $0.hasData() }) {
                    let answer = try clients.remove(at: served).readAnswer()
                    #expect(answer.body == "list a")
                }
                return clients.isEmpty
            }
        }
    }
}
