import ArgumentParser
import MicroHTTP

/// `100/s`, `600/m`, `5000/h`: how often something may happen.
struct RateOption: ExpressibleByArgument, Equatable {
    let count: Int
    let seconds: Int

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let units = ["s": 1, "m": 60, "h": 3600]
        guard parts.count == 2, let count = Int(parts[0]), (1...1_000_000).contains(count),
            let seconds = units[String(parts[1])]
        else { return nil }
        self.count = count
        self.seconds = seconds
    }
}

extension TrustedProxies.Network: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}

/// How often clients may ask.
struct RateOptions: ParsableArguments {
    @Option(
        help: """
            How often a client may ask: 100/s, 600/m or 5000/h. More is answered 429. A client is known by \
            its token's name, or else by its address (of IPv6: its /64 network). Without it: any rate.
            """)
    var rateLimit: RateOption?

    @Option(
        help:
            "How many requests a client may send at once after a pause; default: all of the rate's."
    )
    var rateBurst: Int?

    @Option(
        help: """
            A proxy's address, or a network of them (10.0.0.0/8), that is believed for whom it asks \
            (X-Forwarded-For); may be given several times.
            """)
    var trustProxy: [TrustedProxies.Network] = []

    func validate() throws {
        guard rateBurst.map({ (1...1_000_000).contains($0) }) ?? true else {
            throw ValidationError("--rate-burst is 1 to 1000000.")
        }
        guard rateLimit != nil || rateBurst == nil else {
            throw ValidationError("--rate-burst needs --rate-limit.")
        }
    }

    /// nil where there is no limit.
    var rates: RequestRates? {
        rateLimit.map { rate in
            RequestRates(
                RateLimiter(
                    perSecond: Double(rate.count) / Double(rate.seconds),
                    burst: rateBurst ?? rate.count),
                proxies: TrustedProxies(trustProxy), exempt: ["/healthz", "/readyz"],
                name: { $0.sender?.senderName })
        }
    }
}
