import WebhookSockets

/// The way from clients to the server, through a proxy.
struct ProxyCheck {
    let diagnosis: Diagnosis
    let url: String
    let asksForTokens: Bool
    let token: String?

    /// A server sends the first event at once.
    private static let streamSeconds = 5

    func run() throws(CurlDownload.Failure) {
        let check = diagnosis.check("proxy")
        guard try checkHealth(check) else { return }
        try checkFields(check)
        // The server refuses this path, unless a proxy makes another one of it.
        if url.split(separator: "/").count == 2, try get("/lists/%2E%2E/healthz").status == 200 {
            check.warning(
                "it decodes and normalizes paths", "In nginx, use proxy_pass without a path")
        }
        try checkStream(diagnosis.check("streams"))
    }

    private func get(
        _ path: String, token: String? = nil
    ) throws(CurlDownload.Failure) -> CurlResponse {
        try CurlDownload.response(
            of: (url.hasSuffix("/") ? String(url.dropLast()) : url) + path, schemes: "https,http",
            fields: token.map { ["Authorization: Bearer \($0)"] } ?? [],
            limitSeconds: Self.streamSeconds
        ) { $0.containsEvent || $0.count >= 1_024 }
    }

    /// - Returns: whether the server answers.
    private func checkHealth(_ check: Diagnosis.Check) throws(CurlDownload.Failure) -> Bool {
        let response = try get("/healthz")
        let remedy: String
        switch response.status {
        case 200 where response.body.elementsEqual(#"{"status":"ok"}"#.utf8):
            check.ok("\(url) leads to a server that responds")
            return true
        case 0:
            check.problem(
                "\(url) can't be reached: \(response.failure ?? "no response")",
                "Start the proxy, or correct its address or its certificate")
            return false
        case 200: remedy = "Let the proxy pass bodies unchanged, and from this server"
        case 300..<400:
            remedy = "Give the address to which it redirects: \(response.fields["location"] ?? "")"
        case 421:
            remedy =
                "Start the server with --tokens, or with --no-auth if the proxy authenticates its clients"
        case 502...504: remedy = "Start the server, or correct its address in the proxy"
        default:
            remedy =
                "Let the proxy pass all paths, without the path of --url, and without its own authentication"
        }
        check.problem(
            "\(url)/healthz returns \(response.status), and not the server's response", remedy)
        return false
    }

    private func checkFields(_ check: Diagnosis.Check) throws(CurlDownload.Failure) {
        if try get("/openapi.json").fields["etag"] == nil {
            check.problem(
                "it drops ETag, so clients can't make conditional requests", "Let it pass ETag")
        }
        guard asksForTokens else { return }
        let challenge = try get("/me", token: "doctor").fields["www-authenticate"]
        if challenge?.contains("invalid_token") != true {
            check.problem(
                "it drops Authorization or WWW-Authenticate, so tokens have no effect",
                "Let it pass both")
        }
    }

    private func checkStream(_ check: Diagnosis.Check) throws(CurlDownload.Failure) {
        guard !asksForTokens || token != nil else {
            return check.ok("not checked: --url-token must name a file with a token")
        }
        let response = try get("/events", token: token)
        let type = response.fields["content-type"] ?? "none"
        switch response.status {
        case 200 where response.body.containsEvent && type.hasPrefix("text/event-stream"):
            check.ok("the first event arrives at once")
        case 200 where response.body.containsEvent:
            check.problem("their Content-Type is \(type)", "Let the proxy pass the server's")
        case 0, 200:
            check.problem(
                "the proxy buffers them: no event arrived in \(Self.streamSeconds) s",
                "Turn buffering off for /events and /lists/:id/events (nginx: proxy_buffering off)")
        case 401, 403:
            check.ok("not checked: the token of --url-token is refused (\(response.status))")
        default:
            check.problem(
                "/events returns \(response.status)", "Let the proxy pass it to the server")
        }
    }
}

extension [UInt8] {
    fileprivate var containsEvent: Bool {
        String(decoding: self, as: UTF8.self).contains("event: hello")
    }
}
