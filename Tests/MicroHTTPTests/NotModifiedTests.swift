import RawHTTP
import Testing

@testable import MicroHTTP

/// A 304 has the Content-Length of the corresponding 200, or none (RFC 9110, section 8.6).
@Suite struct NotModifiedTests {
    private let whole = Response(
        status: 200,
        headers: ["Content-Type": "text/plain", "ETag": "\"7\"", "Cache-Control": "no-cache"],
        body: Array("0123456789".utf8))

    /// The responses to a method and to the next request on the same connection, as a client reads
    /// them.
    private func fetch(
        _ response: Response, method: String = "GET", fields: String = ""
    ) throws -> (head: RawClient.Answer, next: String?) {
        let router = Router.echo()
        router.on(.get, "/whole") { $1.respond(response) }
        router.crossOrigin =
            fields.isEmpty ? nil : CrossOrigin(.any, allowedHeaders: [], exposedHeaders: [])
        var result: (RawClient.Answer, String?)?
        try withServer(router) { port, _ in
            let client = try RawClient(port: port)
            client.send("\(method) /whole HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
            let head = try client.readHead()
            result = (head, try? client.get("/lists/a").body)
        }
        return try #require(result)
    }

    private func isComplete(_ head: RawClient.Answer) -> Bool {
        head.status == 304 && head["ETag"] == "\"7\"" && head["Cache-Control"] == "no-cache"
            && head["Content-Type"] == nil && head["Content-Length"] == "10"
    }

    @Test(arguments: ["GET", "HEAD"])
    func a304HasTheLengthOfTheFullResponseAndNoBody(method: String) throws {
        let prepared = try #require(PreparedResponse(whole))
        for response in [whole.notModified, Response(prepared).notModified] {
            let (head, next) = try fetch(response, method: method)
            #expect(isComplete(head))
            #expect(head["Connection"] == nil)
            #expect(next == "list a")
        }
    }

    @Test func a304HasTheFieldsOfItsRequest() throws {
        let prepared = try #require(PreparedResponse(whole))
        for response in [whole.notModified, Response(prepared).notModified] {
            for field in ["X-Request-Id: abc\r\n", "Connection: close\r\n"] {
                let (head, _) = try fetch(response, fields: "Origin: https://a.example\r\n\(field)")
                #expect(isComplete(head), "\(field)")
            }
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func a304WithoutALengthClosesTheConnection(method: String) throws {
        let response = Response(status: 304, headers: ["ETag": "\"7\""])
        for response in [response, Response(try #require(PreparedResponse(response)))] {
            let (head, next) = try fetch(response, method: method)
            #expect(head.status == 304 && head["ETag"] == "\"7\"")
            #expect(head["Content-Length"] == nil && head["Transfer-Encoding"] == nil)
            #expect(head["Connection"] == "close")
            #expect(next == nil)
        }
    }

    @Test func aFullResponseIsUnchanged() throws {
        let prepared = try #require(PreparedResponse(whole))
        for response in [whole, Response(prepared)] {
            let (head, next) = try fetch(response, method: "HEAD")
            #expect(head.status == 200 && head["Content-Length"] == "10")
            #expect(next == "list a")
        }
        #expect(Response(prepared).body == whole.body)
    }
}
