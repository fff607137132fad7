/// Limits the request rate of each client, and reports the limit in header fields.
///
/// The fields are those of the IETF's draft "RateLimit header fields for HTTP": `RateLimit-Policy`
/// has the quota and its window. `RateLimit` has the rest of the quota, and the time until the
/// whole quota is restored.
package struct RequestRates: Sendable {
    private let limiter: RateLimiter
    private let policy: String
    private let proxies: TrustedProxies
    private let exempt: Set<String>
    private let name: @Sendable (Request) -> String?

    /// - Parameters:
    ///   - proxies: the proxies whose `X-Forwarded-For` is trusted.
    ///   - exempt: paths without a limit.
    ///   - name: the authenticated name of a client, which counts instead of its address.
    package init(
        _ limiter: RateLimiter, proxies: TrustedProxies = TrustedProxies([]),
        exempt: Set<String> = [], name: @escaping @Sendable (Request) -> String? = { _ in nil }
    ) {
        self.limiter = limiter
        self.proxies = proxies
        self.exempt = exempt
        self.name = name
        policy = "\"requests\";q=\(limiter.burst);w=\(limiter.windowSeconds)"
    }

    /// Counts a request. Returns nil if it is exempt, or its client is not known.
    func ask(_ request: Request) -> RateLimiter.Verdict? {
        guard !exempt.contains(request.rawPath) else { return nil }
        if let name = name(request) { return limiter.ask(.name(name)) }
        guard let address = proxies.client(of: request) else { return nil }
        return limiter.ask(.network(address.network))
    }

    func addFields(to response: inout Response, _ verdict: RateLimiter.Verdict) {
        response.headers["RateLimit-Policy"] = policy
        response.headers["RateLimit"] =
            "\"requests\";r=\(verdict.remaining);t=\(verdict.resetSeconds)"
        if !verdict.isAllowed { response.headers["Retry-After"] = "\(verdict.retrySeconds)" }
    }
}
