import Dispatch
import ReorderWebhooks
import Synchronization
import Testing
import Waiting
import WebhookSockets

/// Requests over real sockets.
@Suite struct CurlTransportTests {
    private static let ok = "HTTP/1.1 204 No Content\r\n\r\n"
    private static let all = WebhookOptions(allowsPrivate: true, allowsHTTP: true)
    private static let publicOnly = WebhookOptions(allowsPrivate: false, allowsHTTP: true)

    private func withTransport<Value>(
        _ options: WebhookOptions, _ body: (CurlTransport) throws -> Value
    ) throws -> Value {
        let transport = try CurlTransport(options)
        defer { transport.stop() }
        return try body(transport)
    }

    private func send(_ url: String, over transport: CurlTransport) throws -> WebhookOutcome? {
        let (outcome, ended) = (OutcomeBox(), DispatchSemaphore(value: 0))
        let message = WebhookMessage(
            url: url, fields: [("webhook-id", "p1"), ("Content-Type", "application/json")],
            body: Array(#"{"event":"change"}"#.utf8))
        transport.send(message) {
            outcome.set($0)
            ended.signal()
        }
        try ended.waitForSignal()
        return outcome.value
    }

    @Test func aRequestHasItsFieldsAndBody() throws {
        let receiver = SocketReceiver(response: Self.ok)
        defer { receiver.stop() }
        try withTransport(Self.all) { transport throws in
            let url = "http://127.0.0.1:\(receiver.port)/a?b=c"
            #expect(try send(url, over: transport) == .response(204))
            let request = try #require(receiver.requests.first)
            #expect(request.hasPrefix("POST /a?b=c HTTP/1.1\r\n"))
            #expect(request.contains("\r\nwebhook-id: p1\r\n"))
            #expect(request.contains("\r\nContent-Type: application/json\r\n"))
            #expect(!request.contains("Expect"))
            #expect(request.hasSuffix("\r\n\r\n" + #"{"event":"change"}"#))
        }
    }

    @Test(arguments: [200, 302, 404, 410, 500]) func theStatusIsReported(status: Int) throws {
        let receiver = SocketReceiver(
            response: "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        defer { receiver.stop() }
        try withTransport(Self.all) { transport throws in
            let outcome = try send("http://127.0.0.1:\(receiver.port)/", over: transport)
            #expect(outcome == .response(status))
        }
    }

    @Test func redirectsAreNotFollowed() throws {
        let target = SocketReceiver(response: Self.ok)
        let receiver = SocketReceiver(
            response: "HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:\(target.port)/\r\n"
                + "Content-Length: 0\r\nConnection: close\r\n\r\n")
        defer {
            receiver.stop()
            target.stop()
        }
        try withTransport(Self.all) { transport throws in
            let outcome = try send("http://127.0.0.1:\(receiver.port)/", over: transport)
            #expect(outcome == .response(307))
        }
        #expect(target.requests.isEmpty)
    }

    /// The address that is connected to counts, however it is written.
    @Test(arguments: [
        "127.0.0.1", "localhost", "2130706433", "0x7f.1", "0.0.0.0", "[::1]", "[::]",
        "[::ffff:127.0.0.1]", "10.1.2.3", "169.254.169.254", "192.168.0.1", "[fd00::1]",
        "[fe80::1]", "[64:ff9b::7f00:1]",
    ])
    func addressesThatAreNotPublicAreRefused(host: String) throws {
        let receiver = SocketReceiver(response: Self.ok)
        defer { receiver.stop() }
        try withTransport(Self.publicOnly) { transport throws in
            let outcome = try send("http://\(host):\(receiver.port)/", over: transport)
            guard case .failure(let reason) = outcome else {
                Issue.record("\(String(describing: outcome))")
                return
            }
            // It must not name the address.
            #expect(reason == "The receiver has no public address that accepts connections.")
        }
        #expect(receiver.requests.isEmpty)
    }

    @Test func aNameOfThisMachineIsAllowedWithTheOption() throws {
        let receiver = SocketReceiver(response: Self.ok)
        defer { receiver.stop() }
        try withTransport(Self.all) { transport throws in
            let outcome = try send("http://localhost:\(receiver.port)/", over: transport)
            #expect(outcome == .response(204))
        }
    }

    @Test(arguments: ["http", "ftp", "file", "gopher"])
    func otherSchemesAreRefused(scheme: String) throws {
        let receiver = SocketReceiver(response: Self.ok)
        defer { receiver.stop() }
        try withTransport(WebhookOptions(allowsPrivate: true)) { transport throws in
            let outcome = try send("\(scheme)://127.0.0.1:\(receiver.port)/", over: transport)
            guard case .failure = outcome else {
                Issue.record("\(String(describing: outcome))")
                return
            }
        }
        #expect(receiver.requests.isEmpty)
    }

    /// The body is not kept; the connection of an endless one is closed.
    @Test(arguments: [0, 65_536, 65_537, 10_000_000]) func theLengthOfAResponseIsLimited(count: Int)
        throws
    {
        let receiver = SocketReceiver(
            response: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
                + String(repeating: "x", count: count))
        defer { receiver.stop() }
        try withTransport(Self.all) { transport throws in
            let outcome = try send("http://127.0.0.1:\(receiver.port)/", over: transport)
            #expect(outcome == .response(200))
        }
    }

    /// The status is an answer, also if the body breaks off.
    @Test(arguments: [204, 200, 503, 410]) func aBodyThatBreaksOffDoesNotCount(status: Int) throws {
        let receiver = SocketReceiver(
            response: "HTTP/1.1 \(status) X\r\nContent-Length: 1000\r\n\r\nshort")
        defer { receiver.stop() }
        try withTransport(Self.all) { transport throws in
            let outcome = try send("http://127.0.0.1:\(receiver.port)/", over: transport)
            #expect(outcome == .response(status))
        }
    }

    @Test(arguments: [("3600", 3_600), ("0", nil), ("soon", nil)] as [(String, Int?)])
    func theFieldRetryAfterIsReported(value: String, seconds: Int?) throws {
        let receiver = SocketReceiver(
            response: "HTTP/1.1 429 X\r\nRetry-After: \(value)\r\nContent-Length: 0\r\n\r\n")
        defer { receiver.stop() }
        try withTransport(Self.all) { transport throws in
            let outcome = try send("http://127.0.0.1:\(receiver.port)/", over: transport)
            #expect(outcome == .response(429, retryAfter: seconds))
        }
    }

    @Test func aReceiverThatHangsDelaysNeitherOthersNorTheEnd() throws {
        let dead = SocketReceiver(response: nil)
        let live = SocketReceiver(response: Self.ok)
        defer {
            dead.stop()
            live.stop()
        }
        let outcomes = OutcomeBox()
        try withTransport(Self.all) { transport throws in
            let message = WebhookMessage(
                url: "http://127.0.0.1:\(dead.port)/", fields: [], body: [])
            transport.send(message) { outcomes.set($0) }
            try waitUntil { !dead.requests.isEmpty }
            for _ in 0..<20 {
                let outcome = try send("http://127.0.0.1:\(live.port)/", over: transport)
                #expect(outcome == .response(204))
            }
        }
        // Its request was ended by the stop, unless the machine was so slow that its time was over.
        #expect(outcomes.value != .response(204))
    }

    @Test func aClosedPortIsAFailure() throws {
        let receiver = SocketReceiver(response: Self.ok)
        let port = receiver.port
        receiver.stop()
        try withTransport(Self.all) { transport throws in
            try waitUntil {
                if case .failure = try send("http://127.0.0.1:\(port)/", over: transport) {
                    true
                } else {
                    false
                }
            }
        }
    }
}

private final class OutcomeBox: Sendable {
    private let outcome = Mutex<WebhookOutcome?>(nil)
    var value: WebhookOutcome? { outcome.withLock(\.self) }
    func set(_ value: WebhookOutcome) { outcome.withLock { $0 = value } }
}
