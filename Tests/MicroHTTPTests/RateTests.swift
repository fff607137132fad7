import RawHTTP
import Testing

@testable import MicroHTTP

@Suite struct RateTests {
    private let second = 1_000_000_000
    private let client = RateLimiter.Client.name("a")

    @Test func aBurstIsAvailableAtOnceAndRefillsSteadily() {
        let limiter = RateLimiter(perSecond: 2, burst: 4)
        #expect(limiter.windowSeconds == 2)
        let burst = (0..<4).map { _ in limiter.ask(client, now: 0) }
        #expect(burst.map(\.isAllowed) == [true, true, true, true])
        #expect(burst.map(\.remaining) == [3, 2, 1, 0])
        #expect(burst.map(\.resetSeconds) == [1, 1, 2, 2])
        #expect(burst.map(\.retrySeconds) == [0, 0, 0, 1])
        let refused = limiter.ask(client, now: second / 2 - 1)
        #expect(!refused.isAllowed && refused.remaining == 0 && refused.retrySeconds == 1)
        #expect(limiter.ask(client, now: second / 2).isAllowed)
        #expect(!limiter.ask(client, now: second / 2).isAllowed)
        // After a pause the whole burst is available again.
        #expect(limiter.ask(client, now: 100 * second).remaining == 3)
    }

    @Test func refusedRequestsDoNotCount() {
        let limiter = RateLimiter(perSecond: 1, burst: 1)
        #expect(limiter.ask(client, now: 0).isAllowed)
        for now in 1..<1000 {
            #expect(!limiter.ask(client, now: now * second / 1000).isAllowed)
        }
        #expect(limiter.ask(client, now: second).isAllowed)
    }

    @Test func clientsAreCountedSeparately() throws {
        let limiter = RateLimiter(perSecond: 1, burst: 1)
        func ask(_ text: String) throws -> Bool {
            let address = try #require(ClientAddress(text))
            return limiter.ask(.network(address.network), now: 0).isAllowed
        }
        #expect(try ask("10.0.0.1"))
        #expect(try ask("10.0.0.2"))
        #expect(try ask("2001:db8::1"))
        #expect(try !ask("2001:db8::2"))
        #expect(try ask("2001:db8:0:1::1"))
        #expect(try !ask("::ffff:10.0.0.1"))
    }

    @Test func theLimiterRemembersABoundedNumberOfClients() {
        let limiter = RateLimiter(perSecond: 1, burst: 1, maximumClients: 100)
        for number in 0..<10_000 {
            #expect(limiter.ask(.name("\(number)"), now: number).isAllowed)
            #expect(limiter.clients <= 100)
        }
        // Clients with their whole burst are dropped first.
        for number in 0..<50 { _ = limiter.ask(.name("new \(number)"), now: 10 * second) }
        #expect(limiter.clients <= 100)
        #expect(!limiter.ask(.name("new 0"), now: 10 * second).isAllowed)
    }

    @Test func responsesHaveTheRemainingRate() throws {
        let router = Router.echo()
        // So slow that the rate does not recover during the test.
        router.rates = RequestRates(
            RateLimiter(perSecond: 0.0001, burst: 3), exempt: ["/lists/special"])
        router.onCached("/lists/:id") {
            $0.plainSegment(after: "/lists/") == "a" ? PreparedResponse(.text("ready")) : nil
        }
        try withServer(router) { port, _ in
            let client = try RawClient(port: port)
            for left in [2, 1, 0] {
                let answer = try client.get(left == 1 ? "/nothing" : "/lists/a")
                #expect(answer.status == (left == 1 ? 404 : 200))
                #expect(answer["RateLimit-Policy"] == "\"requests\";q=3;w=30000")
                #expect(answer["RateLimit"] == "\"requests\";r=\(left);t=\((3 - left) * 10_000)")
                #expect(answer["Retry-After"] == nil)
            }
            let refused = try client.get("/lists/a")
            #expect(refused.status == 429)
            #expect(refused["Retry-After"] == "10000")
            #expect(refused["RateLimit"] == "\"requests\";r=0;t=30000")
            // From the same address.
            let other = try RawClient(port: port)
            #expect(try other.get("/lists/b").status == 429)
            let exempt = try other.get("/lists/special")
            #expect(exempt.status == 200)
            #expect(exempt["RateLimit"] == nil)
        }
    }

    @Test func aNameIsCountedAcrossAddresses() throws {
        let router = Router.echo()
        router.rates = RequestRates(RateLimiter(perSecond: 0.0001, burst: 1))
        router.authenticate = { request in
            request.principal = Visitor(request.headers["Name"])
            return nil
        }
        try withServer(router) { port, _ in
            let client = try RawClient(port: port)
            for (name, status) in [("a", 200), ("b", 200), ("a", 429), ("c", 200), ("b", 429)] {
                client.send("GET /lists/a HTTP/1.1\r\nHost: a\r\nName: \(name)\r\n\r\n")
                #expect(try client.readAnswer().status == status)
            }
        }
    }

    @Test func onlyTrustedProxiesSetTheClientAddress() throws {
        func client(
            at address: String, _ forwarded: [String], trusting networks: [String]
        ) throws -> String? {
            var headers: HeaderFields = [:]
            for value in forwarded { headers.add("X-Forwarded-For", value) }
            var request = Request(method: .get, target: "/", headers: headers)
            request.client = ClientAddress(address)
            let proxies = TrustedProxies(try networks.map { try #require(.init($0)) })
            return proxies.client(of: request)?.description
        }
        #expect(try client(at: "1.2.3.4", ["9.9.9.9"], trusting: []) == "1.2.3.4")
        #expect(try client(at: "1.2.3.4", ["9.9.9.9"], trusting: ["1.2.3.5"]) == "1.2.3.4")
        #expect(try client(at: "1.2.3.4", ["9.9.9.9"], trusting: ["1.2.3.4"]) == "9.9.9.9")
        #expect(
            try client(at: "10.7.0.1", ["8.8.8.8, 9.9.9.9"], trusting: ["10.0.0.0/8"]) == "9.9.9.9")
        // A character that would combine with the comma that the proxy appends.
        #expect(
            try client(at: "10.7.0.1", ["\u{600}, 9.9.9.9"], trusting: ["10.0.0.0/8"]) == "9.9.9.9")
        #expect(
            try client(at: "10.7.0.1", ["8.8.8.8, 9.9.9.9", "10.1.1.1"], trusting: ["10.0.0.0/8"])
                == "9.9.9.9")
        #expect(try client(at: "::1", ["2001:db8::7"], trusting: ["::/64"]) == "2001:db8::7")
        #expect(try client(at: "10.7.0.1", [], trusting: ["10.0.0.0/8"]) == "10.7.0.1")
        // An invalid address ends the trusted part of the chain.
        #expect(
            try client(at: "10.7.0.1", ["9.9.9.9, unknown, 10.1.1.1"], trusting: ["10.0.0.0/8"])
                == "10.1.1.1")
        // Some proxies add ports.
        for (hop, address) in [
            ("1.1.1.1:1000", "1.1.1.1"), ("2.2.2.2:65535", "2.2.2.2"),
            ("[2001:db8::1]:1000", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1:1000", "2001:db8::1:1000"), ("1.1.1.1:1, 10.1.1.1:2", "1.1.1.1"),
            // Other forms end the trusted part of the chain.
            ("1.1.1.1:", "10.7.0.1"), ("1.1.1.1:0", "10.7.0.1"), ("1.1.1.1:65536", "10.7.0.1"),
            ("1.1.1.1:x", "10.7.0.1"), ("[2001:db8::1]:x", "10.7.0.1"), ("a:1", "10.7.0.1"),
            (":1", "10.7.0.1"),
        ] {
            #expect(
                try client(at: "10.7.0.1", [hop], trusting: ["10.0.0.0/8"]) == address, "\(hop)")
        }
    }

    @Test(arguments: ["", "a", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8"])
    func invalidNetworksAreRefused(text: String) {
        #expect(TrustedProxies.Network(text) == nil)
    }
}
