import RawHTTP
import Synchronization
import Testing
import Waiting

@testable import MicroHTTP

/// A client that closes its connection ends the wait of its request.
@Suite(.serialized) struct DisconnectedClientTests {
    private static let request = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Counts the requests for `/wait`, and those whose wait has ended.
    private final class Waits: Sendable {
        private let counts = Mutex((begun: 0, ended: 0))

        var begun: Int { counts.withLock { $0.begun } }
        var ended: Int { counts.withLock { $0.ended } }

        /// A router whose `/wait` responds after an hour.
        func router() -> Router {
            let router = Router.echo()
            router.on(.get, "/wait") { _, responder in
                responder.after(seconds: 3600) {
                    self.counts.withLock { $0.ended += 1 }
                    responder.respond(.text("nothing happened"))
                }
                self.counts.withLock { $0.begun += 1 }
            }
            return router
        }
    }

    @Test func theWaitOfADisconnectedClientEndsAndFreesItsConnection() throws {
        let waits = Waits()
        try withServer(waits.router(), configure: { $0.connectionLimit = 20 }) { port, _ in
            let stays = try RawClient(port: port)
            stays.send(Self.request)
            do {
                let leave = try (0..<19).map { _ in try RawClient(port: port) }
                for client in leave { client.send(Self.request) }
                try waitUntil { waits.begun == 20 }
                #expect(waits.ended == 0)
                withExtendedLifetime(leave) {}
            }
            // Each of these connections replaces one that was closed.
            let clients = try (0..<19).map { _ in try RawClient(port: port) }
            for client in clients { #expect(try client.get("/lists/a").body == "list a") }
            #expect(waits.ended == 19)
            #expect(!stays.hasData())
        }
    }

    @Test func aClientThatDisconnectsBeforeItsRequestIsReadIsDetected() throws {
        let waits = Waits()
        try withServer(waits.router(), configure: { $0.connectionLimit = 1 }) { port, _ in
            for _ in 0..<200 {
                let client = try RawClient(port: port)
                client.send(Self.request)
            }
            #expect(try RawClient(port: port).get("/lists/a").body == "list a")
        }
    }

    @Test func aClientThatClosesOnlyItsSendingSideGetsAResponse() throws {
        let waits = Waits()
        try withServer(waits.router()) { port, _ in
            let client = try RawClient(port: port)
            client.send(Self.request)
            try waitUntil { waits.begun == 1 }
            client.finishSending()
            #expect(try client.readAnswer().body == "nothing happened")
            #expect(client.isClosed())
        }
    }

    @Test func aConnectionIsWatchedOnlyWhileItsRequestWaits() throws {
        let responders = HeldResponders()
        let router = responders.router()
        let timeouts = Atomic<Int>(0)
        router.on(.get, "/wait") { request, responder in
            responder.after(seconds: 3600) { timeouts.add(1, ordering: .relaxed) }
            responders.put(request, responder)
        }
        try withServer(router) { port, _ in
            for _ in 0..<100 {
                let client = try RawClient(port: port)
                client.send(Self.request)
                for (_, responder) in try responders.take(1) { responder.respond(.text("at last")) }
                #expect(try client.readAnswer().body == "at last")
                #expect(try client.get("/lists/a").body == "list a")
            }
            try waitUntil { router.recorder.metrics.connections == 0 }
            #expect(timeouts.load(ordering: .relaxed) == 0)
        }
    }
}
