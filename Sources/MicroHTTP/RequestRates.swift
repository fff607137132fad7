/// How often a client may ask, and what its answers say of it.
///
/// The fields are those of the IETF's draft "RateLimit header fields for HTTP": `RateLimit-Policy` tells the
/// quota and its window, `RateLimit` what is left of it, and when it is whole again.
package struct RequestRates: Sendable {
    private let limiter: RateLimiter
    private let policy: String
    private let proxies: TrustedProxies
    private let exempt: Set<String>
    private let name: @Sendable (Request) -> String?

    /// - Parameters:
    ///   - proxies: whom to believe whose request it is that they pass on.
    ///   - exempt: paths that may be asked for as often as one likes.
    ///   - name: by what name a client has proved to be known; then it counts wherever it comes from.
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

    /// nil where nothing is counted.
    func ask(_ request: Request) -> RateLimiter.Verdict? {
        guard !exempt.contains(request.rawPath) else { return nil }
        if let name = name(request) { return limiter.ask(.name(name)) }
        guard let address = proxies.client(of: request) else { return nil }
        return limiter.ask(.network(address.network))
    }

    func response(_ response: Response, after verdict: RateLimiter.Verdict) -> Response {
        var response = response
        response.headers["RateLimit-Policy"] = policy
        response.headers["RateLimit"] =
            "\"requests\";r=\(verdict.remaining);t=\(verdict.resetSeconds)"
        if !verdict.isAllowed { response.headers["Retry-After"] = "\(verdict.retrySeconds)" }
        return response
    }
}
