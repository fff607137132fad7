import ArgumentParser
import MicroHTTP

/// A rate: `100/s`, `600/m`, `5000/h`.
struct RateOption: ExpressibleByArgument, Equatable {
    /// As given.
    let text: String
    let count: Int
    let seconds: Int

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let units = ["s": 1, "m": 60, "h": 3600]
        guard parts.count == 2, let count = Int(parts[0]), (1...1_000_000).contains(count),
            let seconds = units[String(parts[1])]
        else { return nil }
        text = argument
        self.count = count
        self.seconds = seconds
    }
}

extension TrustedProxies.Network: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}

/// The limits on clients' request rates.
struct RateOptions: ParsableArguments {
    @Option(
        help: """
            The maximum rate of requests per client and server: 100/s, 600/m or 5000/h. Further \
            requests get 429. A client is identified by its token's name, or without a token by its address \
            (IPv6: its /64 network). Default: no limit.
            """)
    var rateLimit: RateOption?

    @Option(
        help: """
            The number of requests that a client may send at once after a pause. Default: the \
            number in --rate-limit.
            """)
    var rateBurst: Int?

    @Option(
        help: """
            A proxy's address or network (10.0.0.0/8) whose X-Forwarded-For is trusted, for \
            --rate-limit, --max-responses-bytes and the log; may be repeated.
            """)
    var trustProxy: [TrustedProxies.Network] = []

    func validate() throws {
        guard rateBurst.map({ (1...1_000_000).contains($0) }) ?? true else {
            throw ValidationError("--rate-burst must be from 1 to 1000000.")
        }
        guard rateLimit != nil || rateBurst == nil else {
            throw ValidationError("--rate-burst needs --rate-limit.")
        }
    }

    /// nil if the rate is not limited.
    var rates: RequestRates? {
        rateLimit.map { rate in
            RequestRates(
                RateLimiter(
                    perSecond: Double(rate.count) / Double(rate.seconds),
                    burst: rateBurst ?? rate.count),
                exempt: ["/healthz", "/readyz", "/readyz/writes", "/metrics"])
        }
    }
}
