import RawHTTP
import Testing
import Waiting

@testable import MicroHTTP

/// The memory of events that clients of streams do not read is bounded, together with that of other responses.
@Suite(.serialized) struct UnreadStreamTests {
    private static let mebibyte = 1 << 20
    /// More than the sockets' buffers can store.
    private static let large = 6 * mebibyte
    private static let limit = 40 * mebibyte

    /// Calls the body with sources at `/0`, `/1`, …; `/bytes` is a response of `large` bytes.
    private func withSources(
        _ count: Int,
        _ body: (_ port: Int, _ server: HTTPServer, _ sources: [EventSourceStub]) throws -> Void
    ) throws {
        let sources = (0..<count).map { _ in EventSourceStub() }
        let router = Router.echo()
        for (index, source) in sources.enumerated() {
            router.on(.get, "/\(index)") { [weak source] _, responder in
                guard let source else { return }
                responder.respond(Response(status: 200, headers: [:], stream: source.stream()))
            }
        }
        router.on(.get, "/bytes") { _, responder in
            responder.respond(Response(status: 200, body: [UInt8](repeating: 1, count: Self.large)))
        }
        try withServer(router, configure: { $0.maximumResponsesBytes = Self.limit }) {
            port, server in
            try body(port, server, sources)
        }
    }

    private func open(_ target: String, _ port: Int, fields: String = "") throws -> RawClient {
        let (client, head) = try RawClient.open(target, port: port, fields: fields)
        #expect(head.status == 200)
        return client
    }

    private func largeText(_ letter: String) -> String {
        String(repeating: letter, count: Self.large)
    }

    /// Until the client has a reservation for what it does not read. (A large request in this moment could take its room.)
    private func waitUntilCounted(_ server: HTTPServer) throws {
        try waitUntil { server.budget.usedBytes >= Self.large }
    }

    @Test(arguments: ["", "Accept-Encoding: gzip\r\n"])
    func aPieceThatManyStreamsSendIsCountedOnce(fields: String) throws {
        try withSources(1) { port, server, sources in
            // A quarter of 40 MiB has room for one such piece.
            let unread = try (0..<20).map { _ in try open("/0", port, fields: fields) }
            try sources[0].waitUntilOpen(20)
            sources[0].append(largeText("a"))
            try waitUntilCounted(server)
            #expect(try RawClient(port: port).get("/bytes").status == 503)
            #expect(sources[0].open == 20)
            // A small event follows after the large one.
            sources[0].append("end\n")
            sources[0].finish()
            if fields.isEmpty {
                #expect(try unread[7].readChunk().count == Self.large)
                #expect(try unread[7].readChunk() == Array("end\n".utf8))
            }
            #expect(sources[0].open >= 19)
            withExtendedLifetime(unread) {}
        }
    }

    @Test(arguments: ["", "Accept-Encoding: gzip\r\n"])
    func aStreamOverTheLimitEnds(fields: String) throws {
        try withSources(2) { port, server, sources in
            let first = try open("/0", port)
            sources[0].append(largeText("a"))
            try waitUntilCounted(server)
            let second = try open("/1", port, fields: fields)
            sources[1].append("small\n")
            try sources[1].waitUntilOpen(1)
            sources[1].append(largeText("b"))
            try sources[1].waitUntilOpen(0)
            #expect(second.readToEnd().utf8.count < Self.large)
            // The connection of the first stream goes on.
            sources[0].append("end\n")
            #expect(try first.readChunk().count == Self.large)
            #expect(try first.readChunk() == Array("end\n".utf8))
            // What was read is no longer counted.
            try waitUntil { try RawClient(port: port).get("/bytes").status == 200 }
        }
    }

    /// The bytes of a stream that has ended are no longer counted.
    @Test func aClosedStreamReleasesItsPiece() throws {
        try withSources(1) { port, server, sources in
            do {
                let unread = try open("/0", port)
                sources[0].append(largeText("a"))
                try waitUntilCounted(server)
                withExtendedLifetime(unread) {}
            }
            try sources[0].waitUntilOpen(0)
            // The stub has the piece itself, but no stream sends it.
            try waitUntil { try RawClient(port: port).get("/bytes").status == 200 }
        }
    }
}
