import Gunzip
import RawHTTP
import Testing

@testable import MicroHTTP

/// Responses over a socket in both codings.
@Suite struct CompressedResponseTests {
    private static let gzip = "Accept-Encoding: gzip\r\n"

    /// A JSON text that gzip makes smaller.
    private static func text(bytes: Int) -> [UInt8] {
        var text: [UInt8] = []
        var number = 0
        while text.count < bytes {
            text += "{\"id\":\"\(number)\",\"title\":\"task \(number * 7919 % 1000)\"},".utf8
            number += 1
        }
        return Array(text.prefix(bytes))
    }

    private static func response(
        bytes: Int, type: String = "application/json", status: Int = 200
    ) -> Response {
        Response(
            status: status, headers: ["Content-Type": type, "ETag": "\"7\""],
            body: text(bytes: bytes))
    }

    /// Serves one response at `/` for each method.
    private func withResponse(
        _ response: Response, compresses: Bool = true, crossOrigin: CrossOrigin? = nil,
        _ body: (_ fetch: (_ method: String, _ fields: String) throws -> RawClient.Answer) throws
            -> Void
    ) throws {
        let router = Router()
        router.compressesResponses = compresses
        router.crossOrigin = crossOrigin
        for method in [HTTPMethod.get, .post] {
            router.on(method, "/") { $1.respond(response) }
        }
        try withServer(router) { port, _ throws in
            let client = try RawClient(port: port)
            try body { method, fields in
                client.send("\(method) / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
                var answer = try client.readHead()
                guard method != "HEAD", answer.status != 304 else { return answer }
                answer.bytes = try client.readBytes(answer["Content-Length"].flatMap(Int.init) ?? 0)
                return answer
            }
        }
    }

    @Test(arguments: [1_023, 1_024, 256 << 10, 256 << 10 | 1])
    func sizesFrom1KiBTo256KiBAreCompressed(bytes: Int) throws {
        let response = Self.response(bytes: bytes)
        try withResponse(response) { fetch throws in
            for fields in ["", "Accept-Encoding: br\r\n"] {
                let plain = try fetch("GET", fields)
                #expect(plain["Content-Encoding"] == nil && plain.bytes == response.body)
                #expect(plain["ETag"] == "\"7\"")
                #expect(plain["Vary"] == (bytes < 1_024 ? nil : "Accept-Encoding"))
            }
            let answer = try fetch("GET", Self.gzip)
            #expect(answer["Vary"] == (bytes < 1_024 ? nil : "Accept-Encoding"))
            guard 1_024...(256 << 10) ~= bytes else {
                #expect(answer["Content-Encoding"] == nil && answer["ETag"] == "\"7\"")
                #expect(answer.bytes == response.body)
                return
            }
            #expect(answer["Content-Encoding"] == "gzip" && answer["ETag"] == "\"7+gzip\"")
            #expect(answer.bytes.count < bytes / 3)
            #expect(try Gunzip.whole(answer.bytes) == response.body)
        }
    }

    @Test(arguments: [
        ("application/json", true), ("application/problem+json", true), ("application/yaml", true),
        ("text/plain; version=0.0.4", true), ("text/html", true), ("text/css", true),
        ("text/javascript", true), ("image/svg+xml", true), ("image/png", false),
        ("application/octet-stream", false),
    ])
    func textsAreCompressed(type: String, isCompressed: Bool) throws {
        try withResponse(Self.response(bytes: 2_000, type: type)) { fetch throws in
            let answer = try fetch("GET", Self.gzip)
            #expect((answer["Content-Encoding"] == "gzip") == isCompressed)
            #expect((answer["Vary"] == "Accept-Encoding") == isCompressed)
        }
    }

    @Test func randomBytesAreNotCompressed() throws {
        var response = Self.response(bytes: 0)
        response.body = (0..<2_000).map { _ in UInt8.random(in: 0...255) }
        for response in [response, response.coded(.gzip)] {
            try withResponse(response) { fetch throws in
                let answer = try fetch("GET", Self.gzip)
                #expect(answer["Content-Encoding"] == nil && answer["ETag"] == "\"7\"")
                #expect(answer["Vary"] == "Accept-Encoding" && answer.bytes == response.body)
            }
        }
    }

    /// The tag and the fields of a 304 are those of the 200 in the same form.
    @Test(
        arguments: [
            ("", nil, 200, "\"7\""), ("gzip", nil, 200, "\"7+gzip\""),
            ("", "\"7\"", 304, "\"7\""), ("gzip", "\"7+gzip\"", 304, "\"7+gzip\""),
            ("gzip", "W/\"7+gzip\"", 304, "\"7+gzip\""),
            // The client has the identity form, which it accepts too.
            ("gzip", "\"7\"", 304, "\"7\""), ("gzip", "\"6+gzip\", \"7\"", 304, "\"7\""),
            ("gzip", "\"6\", \"7+gzip\"", 304, "\"7+gzip\""),
            // A cache asks for a client that does not accept gzip.
            ("", "\"7+gzip\"", 200, "\"7\""), ("gzip;q=0", "\"7+gzip\"", 200, "\"7\""),
            ("", "*", 304, "\"7\""), ("gzip", "*", 304, "\"7+gzip\""),
            ("gzip", "\"6\", \"8+gzip\"", 200, "\"7+gzip\""),
        ] as [(String, String?, Int, String)])
    func a304IsForTheFormThatTheClientHas(
        accepted: String, seen: String?, status: Int, tag: String
    ) throws {
        let fields =
            (accepted.isEmpty ? "" : "Accept-Encoding: \(accepted)\r\n")
            + (seen.map { "If-None-Match: \($0)\r\n" } ?? "")
        let response = Self.response(bytes: 3_000)
        let form = tag.contains("gzip") ? ContentCoding.gzip : .identity
        let length = response.coded(form).bodyCount
        try withResponse(response) { fetch throws in
            for method in ["GET", "HEAD"] {
                let answer = try fetch(method, fields)
                #expect(answer.status == status && answer["ETag"] == tag)
                #expect(answer["Vary"] == "Accept-Encoding")
                #expect(
                    answer["Content-Encoding"] == (status == 200 && form == .gzip ? "gzip" : nil))
                let count = answer["Content-Length"].flatMap(Int.init) ?? 0
                // The levels of compression differ.
                #expect(form == .gzip ? count < 1_000 && count >= length : count == 3_000)
            }
        }
    }

    @Test func aHeadRequestGetsTheFieldsOfTheGet() throws {
        for response in [
            Self.response(bytes: 5_000), Self.response(bytes: 5_000).coded(.gzip),
            Response(try #require(PreparedResponse(Self.response(bytes: 5_000).coded(.gzip)))),
        ] {
            try withResponse(response) { fetch throws in
                let names = ["Content-Length", "Content-Encoding", "Content-Type", "ETag", "Vary"]
                let (get, head) = (try fetch("GET", Self.gzip), try fetch("HEAD", Self.gzip))
                #expect(names.map { get[$0] } == names.map { head[$0] })
                #expect(get["Content-Encoding"] == "gzip")
                #expect(try Gunzip.whole(get.bytes) == Self.text(bytes: 5_000))
            }
        }
    }

    /// The tag in the response to a write is that of the resource, not of the body.
    @Test func theTagOfAWriteIsUnchanged() throws {
        for status in [200, 201, 409] {
            try withResponse(Self.response(bytes: 5_000, status: status)) { fetch throws in
                let answer = try fetch("POST", Self.gzip + "If-None-Match: *\r\n")
                #expect(answer.status == status && answer["ETag"] == "\"7\"")
                #expect(answer["Content-Encoding"] == "gzip")
                #expect(try Gunzip.whole(answer.bytes) == Self.text(bytes: 5_000))
            }
        }
    }

    @Test func varyHasBothNames() throws {
        let crossOrigin = CrossOrigin(
            .only(["https://a.example"]), allowedHeaders: [], exposedHeaders: [])
        let prepared = try #require(PreparedResponse(Self.response(bytes: 5_000).coded(.identity)))
        for response in [Self.response(bytes: 5_000), Response(prepared)] {
            try withResponse(response, crossOrigin: crossOrigin) { fetch throws in
                for seen in ["", "If-None-Match: \"7\"\r\n"] {
                    #expect(try fetch("GET", seen)["Vary"] == "Accept-Encoding, Origin")
                }
            }
        }
    }

    @Test func compressionCanBeTurnedOff() throws {
        let response = Self.response(bytes: 5_000)
        let prepared = try #require(PreparedResponse(response.coded(nil)))
        var request = Request(method: .get, target: "/")
        request.coding = nil
        for response in [response, Response(prepared), CodedResponse(response).form(for: request)] {
            try withResponse(response, compresses: false) { fetch throws in
                for fields in ["", "If-None-Match: \"7\"\r\n"] {
                    let answer = try fetch("GET", Self.gzip + fields)
                    #expect(answer.status == (fields.isEmpty ? 200 : 304))
                    #expect(answer["Content-Encoding"] == nil && answer["ETag"] == "\"7\"")
                    #expect(answer["Vary"] == nil)
                    #expect(answer.bytes == (fields.isEmpty ? Self.text(bytes: 5_000) : []))
                }
            }
        }
    }

    /// The next request on the connection does not inherit the coding of the previous one.
    @Test func eachRequestHasItsOwnCoding() throws {
        try withResponse(Self.response(bytes: 5_000)) { fetch throws in
            #expect(try fetch("GET", Self.gzip)["Content-Encoding"] == "gzip")
            #expect(try fetch("GET", "")["Content-Encoding"] == nil)
        }
    }
}
