/// Limits the request rate of each client, and reports the limit in header fields.
///
/// The fields are those of the IETF's draft "RateLimit header fields for HTTP": `RateLimit-Policy`
/// has the quota and its window. `RateLimit` has the rest of the quota, and the time until the
/// whole quota is restored.
package struct RequestRates: Sendable {
    private let limiter: RateLimiter
    private let policy: String
    private let exempt: Set<String>

    /// - Parameter exempt: paths without a limit.
    package init(_ limiter: RateLimiter, exempt: Set<String> = []) {
        self.limiter = limiter
        self.exempt = exempt
        policy = "\"requests\";q=\(limiter.burst);w=\(limiter.windowSeconds)"
    }

    /// Counts a request. Returns nil if it is exempt, or its client is not known.
    ///
    /// - Parameter now: in nanoseconds of a clock that never goes back.
    func ask(_ request: Request, from client: RateLimiter.Client?, now: Int) -> RateLimiter.Verdict?
    {
        guard let client, !exempt.contains(request.rawPath) else { return nil }
        return limiter.ask(client, now: now)
    }

    func addFields(to response: inout Response, _ verdict: RateLimiter.Verdict) {
        response.headers["RateLimit-Policy"] = policy
        response.headers["RateLimit"] =
            "\"requests\";r=\(verdict.remaining);t=\(verdict.resetSeconds)"
        if !verdict.isAllowed { response.headers["Retry-After"] = "\(verdict.retrySeconds)" }
    }
}
