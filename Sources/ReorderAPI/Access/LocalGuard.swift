import MicroHTTP

/// Keeps web pages away from a server that asks nobody who he is, and trusts that only this machine
/// reaches it. A browser on it can be had to send requests there:
///
/// - by a name that its owner has resolve to 127.0.0.1 (DNS rebinding): the `Host` is that name then;
/// - without a preflight, to have something done whose answer it may not read: `Origin` tells the page.
struct LocalGuard: Sendable {
    private let origins: CrossOrigin.Origins?

    /// - Parameter origins: whose pages may use the server.
    init(origins: CrossOrigin.Origins?) {
        self.origins = origins
    }

    /// Why a request is refused; `nil`: it is not.
    func refusal(of request: Request) -> Problem? {
        guard request.isForLoopback else {
            return Problem(
                .misdirectedRequest,
                "Without tokens the server answers to the names of this machine only: localhost, "
                    + "127.0.0.1, [::1].")
        }
        guard request.method != .get, request.method != .head, request.method != .options,
            let origin = request.headers["Origin"],
            !mayWrite(origin.lowercased(), request.headers["Host"] ?? "")
        else { return nil }
        return Problem(.forbidden, "Pages of this origin may not use the server.")
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
