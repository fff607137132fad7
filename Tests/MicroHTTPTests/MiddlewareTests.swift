import Glibc
import RawHTTP
import Synchronization
import Testing

@testable import MicroHTTP

/// The same middleware in process and over a connection.
@Suite struct MiddlewareTests {
    private func router(_ logged: LogEntries) -> Router {
        let router = Router()
        router.authenticate = { request in
            request.principal = request.headers["Name"].map { Visitor($0) }
            return request.headers.contains("Refuse") ? Response(status: 403) : nil
        }
        router.rates = RequestRates(RateLimiter(perSecond: 0.0001, burst: 3))
        router.crossOrigin = CrossOrigin(.any, allowedHeaders: ["A"], exposedHeaders: ["B"])
        router.accessLog = AccessLog(logsAll: true, slowSeconds: nil) { entry in
            logged.entries.withLock { $0.append("\(entry.method) \(entry.path) \(entry.status)") }
        }
        router.on(.get, "/") { $1.respond(.text("root")) }
        router.on(.post, "/") { request, responder in
            responder.respond(.text("\(request.body.count)"))
        }
        return router
    }

    private final class LogEntries: Sendable {
        let entries = Mutex<[String]>([])
    }

    private static let requests: [(method: HTTPMethod, target: String, fields: [String: String])] =
        [
            (.get, "/", ["Name": "a"]), (.get, "/", ["Name": "a", "X-Request-Id": "mine"]),
            (.get, "/none", ["Name": "a"]), (.get, "/", ["Name": "a"]),
            (.get, "/", ["Name": "b", "Refuse": "1"]), (.post, "/", ["Name": "b"]),
            (.options, "/", ["Origin": "o", "Access-Control-Request-Method": "GET"]),
            (.delete, "/", [:]),
        ]

    @Test func responsesLogAndCountsAreTheSameInProcessAndOverAConnection() throws {
        let inProcess = LogEntries()
        let overConnection = LogEntries()
        let first = router(inProcess)
        let second = router(overConnection)
        try withServer(threadCount: 1, second) { port, _ in
            let client = try RawClient(port: port)
            for (method, target, fields) in Self.requests {
                var headers = HeaderFields()
                var head = "\(method) \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
                for (name, value) in fields {
                    headers.add(name, value)
                    head += "\(name): \(value)\r\n"
                }
                let expected = first.respond(
                    to: Request(method: method, target: target, headers: headers))
                client.send(head + "\r\n")
                let answer = try client.readAnswer()
                #expect(answer.status == expected.status)
                #expect(answer.body == String(decoding: expected.body, as: UTF8.self))
                for field in expected.headers.fields
                where !["RateLimit", "Retry-After"].contains(field.name) {
                    #expect(answer[field.name] == field.value, "\(field.name)")
                }
                #expect(answer["Access-Control-Allow-Origin"] == "*")
                #expect(fields["X-Request-Id"].map { answer["X-Request-Id"] == $0 } ?? true)
            }
        }
        let logged = inProcess.entries.withLock { $0 }
        #expect(logged.count == Self.requests.count)
        #expect(logged == overConnection.entries.withLock { $0 })
        let counted = [first, second].map { router in
            router.recorder.metrics.lines.map { line in
                "\(line.route ?? "") \(line.statuses.sorted { $0.key < $1.key })"
            }
        }
        #expect(counted[0] == counted[1])
        #expect(counted[0].contains { $0.contains("429") })
    }

    @Test func theBodyOfARequestOverTheRateIsDiscarded() throws {
        let router = router(LogEntries())
        try withServer(router) { port, _ in
            let client = try RawClient(port: port)
            for (status, body) in [(200, "5"), (200, "5"), (200, "5"), (429, nil), (429, nil)] {
                client.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nName: c\r\nContent-Length: 5\r\n\r\nabcde")
                let answer = try client.readAnswer()
                #expect(answer.status == status)
                if let body { #expect(answer.body == body) }
            }
        }
    }
}
