import RawHTTP
import Testing
import Waiting

@testable import MicroHTTP

/// The counts of requests.
@Suite struct RequestMetricsTests {
    @Test func eachResponseIsCountedOnceByRouteMethodAndStatus() throws {
        let ready = try #require(PreparedResponse(.text("ready")))
        let router = Router.echo()
        router.onCached("/lists/:id") { $0.plainSegment(after: "/lists/") == "a" ? ready : nil }
        router.on(.get, "/teapot") { $1.respond(Response(status: 418)) }
        var refused = Response(status: 409)
        refused.refusal = "cycle"
        router.on(.get, "/refused") { [refused] in $1.respond(refused) }
        let recorder = router.recorder
        try withServer(router) { port, _ in
            // On several connections, so that both loops have requests.
            for _ in 0..<4 {
                let client = try RawClient(port: port)
                for (method, target) in [
                    ("GET", "/"), ("HEAD", "/"), ("GET", "/lists/a"), ("GET", "/lists/b"),
                    ("GET", "/lists/c"), ("GET", "/none/1"), ("BREW", "/none/2"),
                    ("BREW", "/"), ("GET", "/teapot"), ("GET", "/refused"),
                ] {
                    _ = try client.get(target, method: method)
                }
                client.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
                _ = try client.readAnswer()
            }
        }
        let metrics = recorder.metrics
        var counted: [String: Int] = [:]
        for line in metrics.lines {
            let place = "\(line.method?.rawValue ?? "?") \(line.route ?? "?")"
            for (status, count) in line.statuses { counted["\(place) \(status)"] = count }
            #expect(line.nanoseconds.count == line.statuses.values.reduce(0, +))
            #expect(line.nanoseconds.sum >= 0)
        }
        #expect(
            counted == [
                "GET / 200": 4, "HEAD / 200": 4, "GET /lists/:id 200": 12, "GET ? 404": 4,
                "? ? 404": 4, "? ? 405": 4, "GET /teapot 0": 4, "GET /refused 409": 4,
                "GET ? 400": 4,
            ])
        #expect(metrics.ready == 4)
        #expect(metrics.refusals == ["cycle": 4])
        #expect(metrics.connections == 0, "the server is stopped")
        #expect(metrics.streams == 0)
    }

    @Test func openConnectionsAndStreamsAreCounted() throws {
        let responders = HeldResponders()
        let router = responders.router()
        let recorder = router.recorder
        try withServer(router) { port, _ in
            let clients = try (0..<3).map { _ in try RawClient(port: port) }
            for client in clients {
                client.send("GET /late/a HTTP/1.1\r\nHost: test\r\n\r\n")
            }
            let held = try responders.take(3)
            // Each loop reports at the end of its turn.
            try waitUntil { recorder.metrics.connections == 3 }
            for (_, responder) in held { responder.respond(.text("late")) }
            for client in clients { #expect(try client.readAnswer().status == 200) }
        }
        #expect(recorder.metrics.connections == 0)
    }
}
