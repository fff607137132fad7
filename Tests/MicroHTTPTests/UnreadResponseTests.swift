import Foundation
import RawHTTP
import Testing
import Waiting

@testable import MicroHTTP

/// The memory of responses that clients do not read is bounded, for each client and in total.
@Suite(.serialized) struct UnreadResponseTests {
    private static let mebibyte = 1 << 20
    /// More than the sockets' buffers can store.
    private static let large = 6 * mebibyte
    private static let limit = 60 * mebibyte

    private func router() throws -> Router {
        let router = Router.echo()
        let shared = try #require(
            PreparedResponse(Response(status: 200, body: [UInt8](repeating: 2, count: Self.large))))
        let answer: @Sendable (Request, Responder) -> Void = { request, responder in
            let count = Int(request.pathParameters["count"] ?? "") ?? 0
            responder.respond(Response(status: 200, body: [UInt8](repeating: 1, count: count)))
        }
        router.on(.get, "/bytes/:count", answer)
        router.on(.post, "/bytes/:count", answer)
        router.on(.get, "/shared") { _, responder in responder.respond(Response(shared)) }
        return router
    }

    private func withBudget(_ body: (Int) throws -> Void) throws {
        try withServer(try router(), configure: { $0.maximumResponsesBytes = Self.limit }) {
            port, _ in try body(port)
        }
    }

    /// Sends a request, and reads only the head of the response.
    private func ask(
        _ port: Int, _ target: String, method: String = "GET", source: String = "127.0.0.1",
        fields: String = ""
    ) throws -> (client: RawClient, head: RawClient.Answer) {
        let client = try RawClient(port: port, source: source, receiveBufferBytes: 4096)
        client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        return (client, try client.readHead())
    }

    @Test func oneClientMayUseAQuarterAndAllClientsTogetherTheLimit() throws {
        try withBudget { port in
            let target = "/bytes/\(Self.large)"
            var unread: [RawClient] = []
            // Two responses of 6 MiB fit in 15 MiB, and ten use all of 60 MiB.
            for client in 1...5 {
                let source = "127.0.0.\(client)"
                for _ in 0..<2 {
                    let (client, head) = try ask(port, target, source: source)
                    #expect(head.status == 200)
                    unread.append(client)
                }
                let (_, refused) = try ask(port, target, source: source)
                #expect(refused.status == 503, "\(source) has its share")
            }
            #expect(try ask(port, target, source: "127.0.0.6").head.status == 503)
            // Small responses are sent anyway.
            #expect(try ask(port, "/lists/a").head.status == 200)
            #expect(try ask(port, "/bytes/\(64 << 10)").head.status == 200)
            #expect(try ask(port, "/bytes/\((64 << 10) + 1)").head.status == 503)
            let head = try ask(port, target, method: "HEAD").head
            #expect(head.status == 200)
            #expect(head["Content-Length"] == "\(Self.large)")
            // The response is sent when the server has detected that the other clients have
            // disconnected.
            unread = []
            try waitUntil { try ask(port, target, source: "127.0.0.6").head.status == 200 }
        }
    }

    @Test func clientsBehindATrustedProxyHaveAShareEach() throws {
        let router = try router()
        router.trustedProxies = TrustedProxies([try #require(.init("127.0.0.1"))])
        try withServer(router, configure: { $0.maximumResponsesBytes = Self.limit }) { port, _ in
            let target = "/bytes/\(Self.large)"
            var unread: [RawClient] = []
            for address in ["192.0.2.1", "192.0.2.2"] {
                for status in [200, 200, 503] {
                    let (client, head) = try ask(
                        port, target, fields: "X-Forwarded-For: \(address)\r\n")
                    #expect(head.status == status, "\(address)")
                    unread.append(client)
                }
            }
            withExtendedLifetime(unread) {}
        }
    }

    @Test func theKernelHoldsASmallPartOfAResponseThatIsNotRead() throws {
        try withBudget { port in
            let (client, head) = try ask(port, "/shared")
            #expect(head.status == 200)
            // The head has been received, so the server has tried to send the whole body.
            #expect(try bytesInSendQueues(port: port) < Self.mebibyte)
            withExtendedLifetime(client) {}
        }
    }

    /// The bytes that the kernel holds for the clients of a port.
    private func bytesInSendQueues(port: Int) throws -> Int {
        let table = try String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8)
        return table.split(separator: "\n").dropFirst().reduce(0) { sum, line in
            let columns = line.split(separator: " ")
            let localPort = columns[1].split(separator: ":").last.flatMap { Int($0, radix: 16) }
            let isEstablished = columns[3] == "01"
            let queued = columns[4].split(separator: ":").first.flatMap { Int($0, radix: 16) }
            return localPort == port && isEstablished ? sum + (queued ?? 0) : sum
        }
    }

    @Test func aSharedBodyIsCountedOnce() throws {
        try withBudget { port in
            let held = try (0..<20).map { _ in try ask(port, "/shared") }
            #expect(held.allSatisfy { $0.head.status == 200 })
            // 6 of the client's 15 MiB are in use.
            let other = try ask(port, "/bytes/\(Self.large)")
            #expect(other.head.status == 200)
            #expect(try ask(port, "/bytes/\(Self.large)").head.status == 503)
            withExtendedLifetime((held, other)) {}
        }
    }

    @Test func oneBodyLargerThanAClientsShareIsSentAtATime() throws {
        try withBudget { port in
            let target = "/bytes/\(20 * Self.mebibyte)"
            let first = try ask(port, target)
            #expect(first.head.status == 200)
            #expect(try ask(port, target, source: "127.0.0.2").head.status == 503)
            let small = try ask(port, "/bytes/\(Self.large)")
            #expect(small.head.status == 200)
            withExtendedLifetime((first, small)) {}
        }
    }

    @Test func aWriteWhoseResponseExceedsTheLimitGetsOutcomeUnknown() throws {
        try withBudget { port in
            let held = try (0..<2).map { _ in try ask(port, "/bytes/\(Self.large)") }
            for (method, failure) in [
                ("GET", HTTPFailure.tooManyResponses), ("POST", .responseNotSent),
            ] {
                let client = try RawClient(port: port)
                let answer = try client.get("/bytes/\(Self.large)", method: method)
                #expect(answer.status == 503)
                #expect(Array(answer.body.utf8) == failure.plainResponse().body)
                #expect(try client.get("/lists/a").body == "list a", "the connection goes on")
            }
            withExtendedLifetime(held) {}
        }
    }

    @Test func responsesThatWereReadAreReleased() throws {
        try withBudget { port in
            let client = try RawClient(port: port)
            for _ in 0..<20 {
                let answer = try client.get("/bytes/\(Self.large)")
                #expect(answer.status == 200)
                #expect(answer.body.utf8.count == Self.large)
            }
        }
    }

    @Test func reservationsAreCountedAndReleased() throws {
        let budget = ResponseBudget(limitBytes: 100)
        var held = [budget.reserve(25, for: .name("a"))]
        #expect(held[0] != nil)
        #expect(budget.reserve(1, for: .name("a")) == nil)
        for name in ["b", "c", "d"] { held.append(budget.reserve(25, for: .name(name))) }
        #expect(budget.usedBytes == 100)
        #expect(budget.reserve(1, for: .name("e")) == nil)
        #expect(budget.reserve(1, for: nil) == nil)
        held.removeLast()
        #expect(budget.usedBytes == 75 && budget.clientCount == 3)
        let body = try #require(
            PreparedResponse(Response(status: 200, body: [UInt8](repeating: 0, count: 20))))
        let first = body.reservation(in: .init(budget: budget, client: .name("d")))
        let second = body.reservation(in: .init(budget: budget, client: .name("a")))
        #expect(first != nil && first === second)
        #expect(budget.usedBytes == 95)
        held.append(contentsOf: [first, second])
        let oversized = budget.reserve(26, for: .name("a"))
        #expect(oversized != nil && budget.reserve(26, for: .name("f")) == nil)
        #expect(budget.usedBytes == 95)
        held.append(oversized)
    }

    @Test func endedReservationsUseNoMemory() {
        let budget = ResponseBudget(limitBytes: 100)
        do {
            let held = (0..<5).map { _ in budget.reserve(5, for: .name("a")) }
            #expect(held.allSatisfy { $0 != nil } && budget.usedBytes == 25)
            withExtendedLifetime(held) {}
        }
        #expect(budget.usedBytes == 0 && budget.clientCount == 0)
    }

    @Test func theSlowestRateGrowsWithTheSize() {
        let limits = LoopLimits(HTTPServerConfiguration())
        // 30 s, and a second for each 4 KiB, but never more than 60 s.
        #expect(limits.sendingMilliseconds(bytes: 0) == 30_000)
        #expect(limits.sendingMilliseconds(bytes: 40 << 10) == 40_000)
        #expect(limits.sendingMilliseconds(bytes: 240 << 10) == 90_000)
        #expect(limits.sendingMilliseconds(bytes: 1 << 20) == 90_000)
        #expect(limits.sendingMilliseconds(bytes: 1 << 40) == 90_000)
    }

    @Test(arguments: [false, true])
    func aClientThatReadsALargeResponseTooSlowlyIsDisconnected(readsSomeBytes: Bool) throws {
        let clock = TestClock()
        try withServer(
            threadCount: 1, clock: clock, try router(),
            configure: {
                $0.requestTimeoutSeconds = 1_000
                $0.maximumResponseSeconds = 1_000
                $0.slowestResponseBytesPerSecond = 1
                // One such response at a time: the next one is sent after the first client was
                // disconnected.
                $0.maximumResponsesBytes = Self.mebibyte
            }
        ) { port, _ in
            let (client, head) = try ask(port, "/bytes/\(Self.large)")
            #expect(head.status == 200)
            for seconds in [1_000, 999, 1.0] {
                #expect(try ask(port, "/bytes/\(Self.large)").head.status == 503)
                if readsSomeBytes { #expect(client.take(upTo: 10) == 10) }
                try clock.advance(seconds: seconds, port: port)
            }
            try waitUntil { try ask(port, "/bytes/\(Self.large)").head.status == 200 }
            // The connection ends before the body does.
            #expect(client.readToEnd().utf8.count < Self.large)
        }
    }
}
