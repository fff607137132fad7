import RawHTTP
import Synchronization
import Testing

@testable import MicroHTTP

/// The ids of requests, in responses and in the log.
@Suite struct RequestIDTests {
    private func answer(
        _ client: RawClient, _ target: String, _ fields: [String], method: String = "GET"
    ) throws -> RawClient.Answer {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: test"] + fields + ["", ""]
        client.send(lines.joined(separator: "\r\n"))
        return try client.readAnswer(hasBody: method != "HEAD")
    }

    @Test(arguments: [
        "a", "0123456789abcdef-1", "A.b_c~d-e+f/g=h:i@j", String(repeating: "x", count: 128),
    ])
    func aValidRequestIDIsReturnedInEveryResponse(id: String) throws {
        let responders = HeldResponders()
        try withServer(responders.router()) { port, _ in
            let client = try RawClient(port: port)
            for (method, target, status) in [
                ("GET", "/", 200), ("HEAD", "/", 200), ("GET", "/none", 404), ("PUT", "/", 405),
                ("OPTIONS", "/", 204), ("GET", "/lists/%zz", 400),
            ] {
                let answer = try answer(client, target, ["x-request-ID: \(id)"], method: method)
                #expect(answer.status == status, "\(target)")
                #expect(answer["X-Request-Id"] == id, "\(method) \(target)")
            }
            // A delayed request, and one that is refused before it is complete.
            client.send("GET /late/a HTTP/1.1\r\nHost: test\r\nX-Request-Id: \(id)\r\n\r\n")
            for (_, responder) in try responders.take(1) { responder.respond(.text("late")) }
            #expect(try client.readAnswer()["X-Request-Id"] == id)
            let malformed = try answer(client, "/", ["X-Request-Id: \(id)", "Host: again"])
            #expect(malformed.status == 400)
            #expect(malformed["X-Request-Id"] == id)
        }
    }

    @Test(arguments: [
        [], ["X-Request-Id:"], ["X-Request-Id: a b"], ["X-Request-Id: a\"b"], ["X-Request-Id: ä"],
        ["X-Request-Id: " + String(repeating: "x", count: 129)],
        ["X-Request-Id: a", "X-Request-Id: a"],
    ])
    func withoutAValidRequestIDTheServerCreatesOne(fields: [String]) throws {
        try withServer(Router.echo()) { port, _ in
            let client = try RawClient(port: port)
            var seen: Set<String> = []
            for target in ["/", "/", "/none"] {
                let id = try answer(client, target, fields)["X-Request-Id"] ?? ""
                #expect(RequestIDTests.isMade(id), "\(id)")
                seen.insert(id)
            }
            #expect(seen.count == 3)
        }
    }

    /// Sixteen digits of the server's start, and a count.
    private static func isMade(_ id: String) -> Bool {
        let parts = id.split(separator: "-")
        return parts.count == 2 && parts[0].count == 16
            && parts.joined().allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }

    @Test func aCachedResponseHasAnIDOnlyIfTheClientSentOne() throws {
        let ready = try #require(PreparedResponse(.text("ready")))
        let router = Router.echo()
        router.onCached("/lists/:id") { $0.plainSegment(after: "/lists/") == "a" ? ready : nil }
        try withServer(router) { port, _ in
            let client = try RawClient(port: port)
            for _ in 0..<3 {
                let plain = try answer(client, "/lists/a", [])
                #expect(plain.body == "ready")
                #expect(plain["X-Request-Id"] == nil)
                let named = try answer(client, "/lists/a", ["X-Request-Id: me"])
                #expect(named.body == "ready")
                #expect(named["X-Request-Id"] == "me")
                #expect(named["Content-Type"] == plain["Content-Type"])
            }
        }
    }

    @Test func theAccessLogSelectsTheResponsesToReport() throws {
        let told = Mutex<[AccessLogEntry]>([])
        let ready = try #require(PreparedResponse(.text("ready")))
        for (logsAll, slowSeconds, expected) in [
            (true, nil, ["/", "/lists/a", "/lists/b", "/none", "/failing"]),
            (false, nil, ["/failing"]),
            (false, 0, ["/", "/lists/a", "/lists/b", "/none", "/failing"]),
            (false, 3_600, ["/failing"]),
        ] as [(Bool, Double?, [String])] {
            told.withLock { $0 = [] }
            let router = Router.echo()
            router.on(.get, "/failing") { $1.respond(Response(status: 500)) }
            router.onCached("/lists/:id") {
                $0.plainSegment(after: "/lists/") == "a" ? ready : nil
            }
            router.accessLog = AccessLog(logsAll: logsAll, slowSeconds: slowSeconds) { answered in
                told.withLock { $0.append(answered) }
            }
            try withServer(threadCount: 1, router) { port, _ in
                let client = try RawClient(port: port)
                for target in ["/?token=secret", "/lists/a", "/lists/b", "/none", "/failing"] {
                    _ = try answer(client, target, ["X-Request-Id: me"])
                }
            }
            let all = told.withLock { $0 }
            #expect(all.map(\.path) == expected)
            #expect(all.allSatisfy { $0.id == "me" && $0.method == .get && $0.seconds >= 0 })
            let failed = try #require(all.last)
            #expect(failed.status == 500)
            #expect(failed.route == "/failing")
            guard all.count == 5 else { continue }
            #expect(all.map(\.status) == [200, 200, 200, 404, 500])
            #expect(all.map(\.route) == ["/", "/lists/:id", "/lists/:id", nil, "/failing"])
            #expect(all[1].bodyBytes == 5)
        }
    }
}
