import MicroHTTP

/// Protects a server without access control against web pages. Only this machine can reach such a
/// server, but a page can make a browser on this machine send requests:
///
/// - under a host name that the page's owner resolves to 127.0.0.1 (DNS rebinding): then `Host` has
///   that name;
/// - as a cross-origin request without a preflight, whose response the page can't read: then
///   `Origin` names the page's origin.
struct LocalGuard: Sendable {
    private let origins: CrossOrigin.Origins?

    /// - Parameter origins: the origins whose pages may write.
    init(origins: CrossOrigin.Origins?) {
        self.origins = origins
    }

    /// Throws the reason to refuse the request.
    func check(_ request: Request) throws(Problem) {
        guard request.isForLoopback else {
            throw Problem(
                .misdirectedRequest,
                "A server without tokens only accepts requests to a local host name: localhost, "
                    + "127.0.0.1, [::1].")
        }
        guard let origin = request.headers["Origin"],
            !request.method.isRead, request.method != .options,
            !mayWrite(origin.lowercased(), request.headers["Host"] ?? "")
        else { return }
        throw Problem(
            .forbidden, "Web pages from this origin are not allowed to write to this server.")
    }

    private func mayWrite(_ origin: String, _ host: String) -> Bool {
        switch origins {
        case .any: return true
        case .only(let origins) where origins.contains(origin): return true
        case .only, nil:
            return ["http://", "https://"].contains { origin == $0 + host.lowercased() }
        }
    }
}
