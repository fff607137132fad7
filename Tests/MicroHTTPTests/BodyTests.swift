import RawHTTP
import Synchronization
import Testing
import Waiting

@testable import MicroHTTP

@Suite(.serialized) struct BodyTests {
    private static let limit = 1 << 20

    private func withLimitedServer(
        maximumDiscardedBytes: Int = 8 << 20, _ body: (Int) throws -> Void
    ) throws {
        let router = Router { failure, _ in
            Response(
                status: failure.status, headers: ["Content-Type": "application/problem+json"],
                body: Array(#"{"status":\#(failure.status)}"#.utf8))
        }
        router.on(.put, "/lists/:id") { request, responder in
            responder.respond(.text(Self.summary(request.body)))
        }
        try withServer(
            router,
            configure: {
                $0.maximumBodyBytes = Self.limit
                $0.maximumDiscardedBytes = maximumDiscardedBytes
            }
        ) { port, _ in try body(port) }
    }

    private func put(length: Int, more: String = "") -> String {
        "PUT /lists/a HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(more)\r\n"
    }

    private let chunkedPut =
        "PUT /lists/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func bytes(_ count: Int) -> [UInt8] {
        let period = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += period }
        return Array(bytes.prefix(count))
    }

    /// The number of bytes, and a hash that is computed with one call, because a loop over a
    /// mebibyte takes seconds under a sanitizer.
    private static func summary(_ bytes: [UInt8]) -> String {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return "\(bytes.count) \(hasher.finalize())"
    }

    private func expected(_ count: Int) -> String { Self.summary(bytes(count)) }

    @Test(arguments: [0, 1, 1000, 100_000, limit - 1, limit])
    func bodiesUpToTheLimitArriveCompletely(count: Int) throws {
        try withLimitedServer { port in
            let client = try RawClient(port: port)
            client.send(Array(put(length: count).utf8) + bytes(count))
            #expect(try client.readAnswer().body == expected(count))
            client.send(Array(chunkedPut.utf8) + chunked(bytes(count), chunk: 4000))
            #expect(try client.readAnswer().body == expected(count))
        }
    }

    @Test func aBodyInTinyPiecesArrivesCompletely() throws {
        try withLimitedServer { port in
            let client = try RawClient(port: port)
            for byte in Array(chunkedPut.utf8) + chunked(bytes(40), chunk: 7) {
                client.send([byte])
            }
            #expect(try client.readAnswer().body == expected(40))
        }
    }

    @Test(arguments: [limit + 1, 5 << 20])
    func largerBodiesAreRefusedWithAResponseAndTheConnectionStaysOpen(count: Int) throws {
        try withLimitedServer { port in
            let client = try RawClient(port: port)
            for request in [
                Array(put(length: count).utf8) + bytes(count),
                Array(put(length: 3).utf8) + bytes(3),
                Array(chunkedPut.utf8) + chunked(bytes(count), chunk: 100_000),
            ] {
                #expect(client.send(request))
                let answer = try client.readAnswer()
                guard request.count > count else {
                    #expect(answer.body == expected(3))
                    continue
                }
                #expect(answer.status == 413)
                #expect(answer["Content-Type"] == "application/problem+json")
                #expect(answer.body == #"{"status":413}"#)
            }
            #expect(client.isClosed())
        }
    }

    @Test func largeBodiesOverTheSharedLimitAreRefusedAndSmallBodiesAreNot() throws {
        let held = Mutex<[Responder]>([])
        let router = Router()
        router.on(.put, "/held") { _, responder in held.withLock { $0.append(responder) } }
        router.on(.put, "/") { request, responder in
            responder.respond(.text("\(request.body.count)"))
        }
        func release() {
            // Released, because each responder refers to the loop, whose router refers to these
            // responders.
            let responders = held.withLock { held in
                defer { held = [] }
                return held
            }
            for responder in responders { responder.respond(.text("")) }
        }
        try withServer(
            router,
            configure: {
                $0.threadCount = 1
                $0.maximumBodyBytes = Self.limit
                $0.maximumBodiesBytes = 2 * Self.limit
            }
        ) { port, _ in
            // If a check fails, the server must not wait for these requests.
            defer { release() }
            let client = try RawClient(port: port)
            func put(_ count: Int) throws -> RawClient.Answer {
                let head = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n"
                client.send(Array(head.utf8) + bytes(count))
                return try client.readAnswer()
            }
            let others = try (0..<2).map { _ in try RawClient(port: port) }
            for (index, other) in others.enumerated() {
                let head = "PUT /held HTTP/1.1\r\nHost: a\r\nContent-Length: \(Self.limit)\r\n\r\n"
                #expect(try put(Self.limit).status == 200)
                other.send(Array(head.utf8) + bytes(Self.limit))
                try waitUntil { held.withLock { $0.count > index } }
            }
            #expect(try put(64 << 10).body == "\(64 << 10)")
            #expect(try put((64 << 10) + 1).status == 503)
            #expect(try put(Self.limit).status == 503)
            #expect(try put(1).body == "1")
            release()
            for other in others { #expect(try other.readAnswer().status == 200) }
            #expect(try put(Self.limit).body == "\(Self.limit)")
        }
    }

    @Test func aRequestWithExpectIsRefusedBeforeItsBodyIsSent() throws {
        try withLimitedServer { port in
            let client = try RawClient(port: port)
            client.send(put(length: Self.limit + 1, more: "Expect: 100-continue\r\n"))
            #expect(try client.readHead().status == 413)
        }
    }

    @Test func aRequestWithExpectGets100Continue() throws {
        try withLimitedServer { port in
            let client = try RawClient(port: port)
            client.send(put(length: 3, more: "Expect: 100-continue\r\n"))
            #expect(try client.readHead().status == 100)
            client.send(bytes(3))
            #expect(try client.readAnswer().body == expected(3))
        }
    }

    @Test(arguments: ["1099511627776", "9223372036854775808", "18446744073709551615"])
    func aFarTooLargeContentLengthIsRefusedBeforeTheBody(length: String) throws {
        try withLimitedServer { port in
            let client = try RawClient(port: port)
            client.send(put(length: 7).replacing("Length: 7", with: "Length: \(length)"))
            let refused = try client.readAnswer()
            #expect(refused.status == 413)
            #expect(refused["Connection"] == "close")
            #expect(client.isClosed())
        }
    }

    @Test func anEndlessChunkedBodyIsDisconnected() throws {
        try withLimitedServer(maximumDiscardedBytes: 2 << 20) { port in
            let client = try RawClient(port: port)
            client.send(chunkedPut)
            let chunk = Array("10000\r\n".utf8) + bytes(0x10000) + [13, 10]
            let wasCutOff = (0..<1000).contains { _ in !client.send(chunk) }
            #expect(wasCutOff)
        }
    }
}
