import RawHTTP
import Testing

@testable import MicroHTTP

@Suite struct ConnectionTests {
    @Test func oneConnectionServesManyRequests() throws {
        try withServer(.echo()) { port, _ in
            let client = try RawClient(port: port)
            for number in 0..<500 {
                let answer = try client.get("/lists/\(number)")
                #expect(answer.status == 200)
                #expect(answer.body == "list \(number)")
                #expect(answer["Connection"] == nil)
            }
        }
    }

    @Test func pipelinedRequestsGetResponsesInOrder() throws {
        try withServer(.echo()) { port, _ in
            let client = try RawClient(port: port)
            client.send((0..<50).map { "GET /lists/\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for number in 0..<50 {
                #expect(try client.readAnswer().body == "list \(number)")
            }
        }
    }

    @Test func aHeadResponseHasTheLengthAndNoBody() throws {
        try withServer(.echo()) { port, _ in
            let client = try RawClient(port: port)
            let head = try client.get("/lists/abc", method: "HEAD")
            #expect(head.status == 200)
            #expect(head["Content-Length"] == "8")
            // The next response begins directly after the head, so no body was sent.
            #expect(try client.get("/").body == "root")
        }
    }

    @Test func errorResponsesKeepTheConnectionOpen() throws {
        try withServer(.echo()) { port, _ in
            let client = try RawClient(port: port)
            #expect(try client.get("/none").status == 404)
            #expect(try client.get("/lists/%zz").status == 400)
            #expect(try client.get("/lists/%00").status == 400)
            #expect(try client.get("/lists/a%2Fb").body == "list a/b")
            let refused = try client.get("/lists/a", method: "DELETE")
            #expect(refused.status == 405)
            #expect(refused["Allow"] == "GET, HEAD, OPTIONS, PUT")
            #expect(try client.get("/lists/a", method: "PURGE").status == 405)
            let options = try client.get("/lists/a", method: "OPTIONS")
            #expect(options.status == 204)
            #expect(options["Allow"] == "GET, HEAD, OPTIONS, PUT")
            #expect(try client.get("/lists/a").body == "list a")
        }
    }

    @Test func whiteSpaceAroundAFieldValueIsRemoved() throws {
        let router = Router()
        router.on(.get, "/") { request, responder in
            responder.respond(.text("[\(request.headers.all("A").joined(separator: "|"))]"))
        }
        try withServer(router) { port, _ in
            let client = try RawClient(port: port)
            client.send("GET / HTTP/1.1\r\nHost: a \r\nA: \t b c \t \r\nA:  \r\nA:\td\r\n\r\n")
            #expect(try client.readAnswer().body == "[b c||d]")
        }
    }

    @Test func queryAndHeadersArriveAsSent() throws {
        let router = Router()
        router.on(.get, "/q") { request, responder in
            let pairs = request.query.pairs.map { "\($0.name)=\($0.value)" }
            let headers = request.headers
            responder.respond(
                .text(
                    """
                    \(request.query.raw) \(pairs) \(headers["x-a"] ?? "-") \(headers.all("X-B"))
                    """))
        }
        try withServer(router) { port, _ in
            let client = try RawClient(port: port)
            client.send(
                "GET /q?a=1%26&a=%zz&&b+c HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-b: 2\r\nX-B:3\r\n\r\n")
            #expect(
                try client.readAnswer().body
                    == #"a=1%26&a=%zz&&b+c ["a=1&", "a=%zz", "b c="] 1 ["2", "3"]"#)
        }
    }

    @Test func theServerListensOnIPv4AndIPv6() throws {
        for (host, client) in [("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("::", "127.0.0.1")] {
            try withServer(.echo(), configure: { $0.host = host }) { port, _ in
                let answer = try RawClient(port: port, host: client).get("/")
                #expect(answer.body == "root")
            }
        }
    }

    @Test func aPortInUseIsReported() throws {
        try withServer(.echo()) { port, _ in
            var configuration = HTTPServerConfiguration()
            configuration.port = port
            let second = HTTPServer(configuration, router: .echo())
            #expect(
                throws: HTTPServerError.cannotListen(
                    host: "127.0.0.1", port: port, reason: "Address already in use")
            ) { _ = try second.start() }
        }
    }

    @Test func aHostThatDoesNotExistIsReported() {
        var configuration = HTTPServerConfiguration()
        configuration.host = "300.300.300.300"
        #expect(throws: HTTPServerError.self) {
            _ = try HTTPServer(configuration, router: .echo()).start()
        }
    }
}
