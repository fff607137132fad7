import WebhookSockets

/// The way from clients to the server, through a proxy.
struct ProxyCheck {
    let diagnosis: Diagnosis
    let url: String
    let asksForTokens: Bool
    let token: String?
    /// The server's interval of heartbeats.
    let heartbeatSeconds: Int

    /// The body of `/healthz`.
    static let healthy = #"{"status":"ok"}"#

    func run() throws(CurlDownload.Failure) {
        let check = diagnosis.check("proxy")
        let health = try get("/healthz")
        guard health.text == Self.healthy else {
            return check.problem(
                health.status == 0
                    ? "\(url) can't be reached: \(health.failure ?? "no response")"
                    : "\(url)/healthz returns \(health.status), and not the server's response",
                remedy(health.status))
        }
        check.ok("\(url) leads to a server that responds")
        guard asksForTokens else { return try checkStream(diagnosis.check("streams")) }
        if try get("/me", token: "doctor").text.contains("A token is required") {
            check.problem(
                "it drops Authorization, so tokens have no effect", "Let it pass the field")
        }
        if token != nil { try checkStream(diagnosis.check("streams")) }
    }

    private func get(
        _ path: String, token: String? = nil
    ) throws(CurlDownload.Failure) -> (status: Int, text: String, failure: String?) {
        let response = try CurlDownload.response(
            of: (url.hasSuffix("/") ? String(url.dropLast()) : url) + path, token: token,
            limitSeconds: limitSeconds
        ) { String(decoding: $0, as: UTF8.self).contains(Self.heartbeat) }
        return (response.status, String(decoding: response.body, as: UTF8.self), response.failure)
    }

    private func remedy(_ status: Int) -> String {
        switch status {
        case 0: "Start the proxy, or correct its address or its certificate"
        case 200: "Let the proxy pass bodies unchanged, and from this server"
        case 300..<400: "Give --url the address to which it redirects"
        case 421:
            "Start the server with --tokens, or with --no-auth if the proxy authenticates clients"
        case 502...504: "Start the server, or correct its address in the proxy"
        default:
            "Let the proxy pass all paths, without the path of --url, and without its own authentication"
        }
    }

    /// A server sends it on a quiet stream. The first event may pass with the head.
    private static let heartbeat = "\n: \n"
    private var limitSeconds: Int { heartbeatSeconds + 10 }

    private func checkStream(_ check: Diagnosis.Check) throws(CurlDownload.Failure) {
        let stream = try get("/events?prefix=doctor", token: token)
        if stream.text.contains(Self.heartbeat) {
            check.ok("events arrive at once")
        } else if [0, 200].contains(stream.status) {
            check.problem(
                "no heartbeat has arrived in \(limitSeconds) seconds, so the proxy buffers events",
                "Turn buffering off for /events and /lists/:id/events (nginx: proxy_buffering off)")
        } else {
            check.problem(
                "/events returns \(stream.status)",
                "Let the proxy pass it, and give --url-token a token that may read all lists")
        }
    }
}
