import RawHTTP
import Testing
import Waiting

@testable import MicroHTTP

/// Compressed bodies of requests, over a socket.
@Suite(.serialized) struct CompressedBodyTests {
    private static let limit = 1 << 20

    private func withLimitedServer(
        bodiesBytes: Int = 64 << 20, _ body: (RawClient) throws -> Void
    ) throws {
        try withLimitedServerAtPort(bodiesBytes: bodiesBytes) { try body(RawClient(port: $0)) }
    }

    private func withLimitedServerAtPort(
        bodiesBytes: Int = 64 << 20, _ body: (Int) throws -> Void
    ) throws {
        let router = Router()
        router.on(.put, "/") { request, responder in
            responder.respond(
                Response(
                    status: 200, headers: ["Content-Type": "application/octet-stream"],
                    body: request.body))
        }
        try withServer(
            router,
            configure: {
                $0.maximumBodyBytes = Self.limit
                $0.maximumBodiesBytes = bodiesBytes
            }
        ) { port, _ in try body(port) }
    }

    private func compress(_ bytes: [UInt8]) -> [UInt8] {
        GzipEncoder.compress(bytes, .kept) ?? []
    }

    /// Sends a body, whole or in chunks.
    private func put(
        _ body: [UInt8], chunk: Int? = nil, coding: String = "gzip", _ client: RawClient
    ) throws -> RawClient.Answer {
        let head = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Encoding: \(coding)\r\n"
        guard let chunk else {
            client.send(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
            return try client.readAnswer()
        }
        client.send("\(head)Transfer-Encoding: chunked\r\n\r\n")
        client.send(chunked(body, chunk: chunk))
        return try client.readAnswer()
    }

    /// Bytes that gzip makes about four times smaller.
    private func bytes(_ count: Int, seed: Int = 1) -> [UInt8] {
        var state = UInt64(seed)
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: 0x61 + (state >> 60) % 4)
        }
    }

    /// `count` bytes that decompress from about `compressed` bytes.
    private func text(_ count: Int, compressed: Int) -> [UInt8] {
        let random = (0..<compressed).map { _ in UInt8.random(in: 0...255) }
        var text: [UInt8] = []
        let run = count / compressed
        // A random byte and a run of equal bytes in turn, so that the ratio is the same throughout.
        for byte in random { text += [byte] + [UInt8](repeating: 0x20, count: run - 1) }
        return text
    }

    @Test(arguments: [0, 1, 1000, 100_000, limit - 1, limit])
    func compressedBodiesUpToTheLimitArrive(count: Int) throws {
        try withLimitedServer { client throws in
            let body = bytes(count)
            for coding in count < 10_000 ? ["gzip", "GZip", "x-gzip"] : ["gzip"] {
                #expect(try put(compress(body), coding: coding, client).bytes == body)
            }
        }
    }

    @Test(arguments: 0..<20)
    func piecesDoNotMatter(seed: Int) throws {
        var random = SystemRandomNumberGenerator()
        try withLimitedServer { client throws in
            let body = bytes(Int.random(in: 1...50_000, using: &random), seed: seed + 1)
            // One to three members.
            var members: [UInt8] = []
            var rest = body[...]
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let piece = rest.prefix(Int.random(in: 0...rest.count, using: &random))
                members += compress(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            members += compress(Array(rest))
            let decoder = try #require(GzipDecoder(maximumBytes: Self.limit))
            var plain: [UInt8] = []
            var left = members[...]
            while !left.isEmpty {
                let piece = left.prefix(Int.random(in: 1...700, using: &random))
                try piece.withUnsafeBytes { try decoder.write($0, to: &plain) }
                left = left.dropFirst(piece.count)
            }
            try decoder.finish()
            #expect(plain == body)
            let chunk = max(members.count / 20, Int.random(in: 1...2_000, using: &random))
            #expect(try put(members, chunk: chunk, client).bytes == body)
        }
    }

    @Test func aBodyOverTheLimitIsRefused() throws {
        try withLimitedServer { client throws in
            #expect(try put(compress(bytes(Self.limit + 1)), client).status == 413)
            // The connection can be used again.
            #expect(try put(compress(bytes(10)), client).bytes == bytes(10))
            // A compressed form over the limit.
            let random = (0..<Self.limit + 1).map { _ in UInt8.random(in: 0...255) }
            #expect(try put(random, client).status == 413)
        }
    }

    @Test func aRatioOver20IsRefusedFrom64KiB() throws {
        try withLimitedServerAtPort { port throws in
            let client = try RawClient(port: port)
            let small = [UInt8](repeating: 0x20, count: 64 << 10)
            #expect(small.count > compress(small).count * 100)
            #expect(try put(compress(small), client).bytes == small)
            #expect(try put(compress(small + [0x20]), client).status == 413)

            for (run, status) in [(12, 200), (80, 413)] {
                let body = text(400_000, compressed: 400_000 / run)
                let ratio = body.count / compress(body).count
                #expect((ratio < 20) == (status == 200), "\(ratio)")
                #expect(try put(compress(body), client).status == status)
                // The connection of a chunked request ends.
                let other = try RawClient(port: port)
                #expect(try put(compress(body), chunk: 100, other).status == status)
            }
        }
    }

    /// The memory of a body that would be huge is bounded, whatever the client sends.
    @Test func aHugeBodyIsNotDecompressed() throws {
        let zeros = compress([UInt8](repeating: 0, count: 50 << 20))
        #expect(zeros.count < 60_000)
        let decoder = try #require(GzipDecoder(maximumBytes: 1 << 30))
        var plain: [UInt8] = []
        #expect(throws: HTTPFailure.bodyTooCompressed) {
            try zeros.withUnsafeBytes { try decoder.write($0, to: &plain) }
        }
        #expect(plain.count <= (64 << 10) + (16 << 10))
        let other = try #require(GzipDecoder(maximumBytes: 10_000))
        plain = []
        #expect(throws: HTTPFailure.bodyTooLarge(limitBytes: 10_000)) {
            try zeros.withUnsafeBytes { try other.write($0, to: &plain) }
        }
        #expect(plain.count <= 10_000 + (16 << 10))
        try withLimitedServer { client throws in
            #expect(try put(zeros, client).status == 413)
            #expect(try put(compress([1]), client).bytes == [1])
        }
    }

    @Test func decompressedBytesCountForAllBodies() throws {
        // The loops' limits are at least the limit of one body.
        try withLimitedServer(bodiesBytes: 1) { client throws in
            let body = bytes(Self.limit)
            #expect(try put(compress(body), client).bytes == body)
            // The memory of the first body is free again.
            #expect(try put(compress(body), client).bytes == body)
        }
    }

    /// Small compressed bodies count too, with the memory of their decoders.
    @Test func manySmallBodiesThatAreNotCompleteReachTheLimit() throws {
        let body = compress(bytes(1_000))
        try withLimitedServerAtPort(bodiesBytes: 1) { port throws in
            let waiting = try (0..<200).map { _ in
                let client = try RawClient(port: port)
                client.send(
                    "PUT / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n"
                        + "Content-Length: \(body.count)\r\n\r\n")
                client.send(Array(body.dropLast()))
                return client
            }
            // The server reads the waiting bodies at some time.
            try waitUntil { try put(body, RawClient(port: port)).status == 503 }
            withExtendedLifetime(waiting) {}
        }
    }

    @Test func malformedBodiesAreRefused() throws {
        let whole = compress(bytes(5_000))
        var corrupt = whole
        corrupt[whole.count - 6] ^= 1
        let malformed = [
            Array(whole.dropLast()), Array(whole.prefix(10)), [0x1F], corrupt, whole + [0],
            whole + Array("x".utf8), whole + whole.dropLast(), Array("{}".utf8),
            // A text in the zlib format.
            [0x78, 0x9C, 0x03, 0, 0, 0, 0, 1],
        ]
        try withLimitedServer { client throws in
            for body in malformed {
                #expect(try put(body, client).status == 400)
                #expect(try put(whole, client).bytes == bytes(5_000))
            }
        }
    }

    @Test func anEmptyBodyNeedsNoMember() throws {
        try withLimitedServer { client throws in
            #expect(try put([], client).bytes == [])
            #expect(try put(compress([]), client).bytes == [])
        }
    }

    /// The server does not touch bodies in codings that it does not know.
    @Test func otherCodingsAreLeftToTheApplication() throws {
        try withLimitedServer { client throws in
            let body = compress(bytes(100))
            #expect(try put(body, coding: "gzip, gzip", client).bytes == body)
        }
    }
}
