import MicroHTTP
import ReorderAPI
import ReorderAuth
import ReorderService

/// CalDAV (RFC 4791): each list is a calendar of tasks, for apps that let their user type a server's address.
///
/// The order of the list is the truth. The sort key that clients write, `X-APPLE-SORT-ORDER`, is a label of it: a key that a
/// client changes is a move, and a move makes the keys ascend again.
package final class CalDAV: RequestHandling {
    /// Whether clients reach the server over TLS without a proxy.
    private let isEncrypted: Bool
    private let proxies: TrustedProxies
    let known = KnownLists()

    /// - Parameters:
    ///   - isEncrypted: whether the server itself ends TLS.
    ///   - proxies: the proxies that say whether their client uses TLS.
    package init(isEncrypted: Bool, proxies: TrustedProxies) {
        self.isEncrypted = isEncrypted
        self.proxies = proxies
    }

    /// What is to be added to the API's router.
    package var mounts: [ProtocolMount] {
        ["/dav", "/.well-known/caldav"].map { ProtocolMount($0, methods: DAV.methods, self) }
    }

    package var acceptsTickets: Bool { false }

    package func begin(_ request: Request, _ api: ReorderAPI) throws -> Job {
        guard let segments = request.pathSegments else {
            throw DAVError(400, "The path is malformed.")
        }
        guard segments.first == "dav" else {
            // RFC 6764, section 5.
            return .respond(Response(status: 301, headers: ["Location": DAVPath.root.href]))
        }
        guard request.method != .options else { return .respond(Self.options) }
        let access = try checkAccess(of: request, api)
        guard let path = DAVPath(segments) else { throw DAVError.notFound }
        return try CalendarRequest(request, path, api.service, access, known).begin()
    }

    package func response(to error: any Error, _ api: ReorderAPI) -> Response {
        switch error {
        case let error as DAVError: error.response
        case let error as ServiceError: DAVError(error, isRead: true).response
        default: DAVError(500, "The request could not be handled.").response
        }
    }

    private static var options: Response {
        Response(
            status: 200,
            headers: [
                "DAV": DAV.classes, "Allow": DAV.methods.map(\.rawValue).joined(separator: ", "),
                "Cache-Control": "no-store",
            ])
    }

    // MARK: Access

    /// The client's access; nil if the server asks for no tokens.
    private func checkAccess(of request: Request, _ api: ReorderAPI) throws(DAVError)
        -> TokenAccess?
    {
        guard api.asksForTokens else { return nil }
        let field = request.headers["Authorization"] ?? ""
        guard !field.lowercased().hasPrefix("basic ") || isPrivate(request) else {
            throw DAVError(
                403,
                "Use https. A password is accepted only over an encrypted connection.")
        }
        guard let access = request.principal as? TokenAccess else {
            var error = DAVError(401, "Send a token as the password, with any user name.")
            error.headers["WWW-Authenticate"] = #"Basic realm="reorderd", charset="UTF-8""#
            throw error
        }
        guard access.link == nil else {
            throw DAVError(403, "A link to a list can't be used here. Use a token.")
        }
        guard access.grants.include(.read) else {
            throw DAVError(403, "The token does not allow reading lists.")
        }
        return access
    }

    /// Whether nobody on a network can read the request.
    private func isPrivate(_ request: Request) -> Bool {
        if isEncrypted { return true }
        if let used = proxies.clientProtocol(of: request) { return used == "https" }
        // Through a proxy on this machine, requests come from anywhere.
        guard !request.headers.contains("X-Forwarded-For"), !request.headers.contains("Forwarded")
        else { return false }
        return request.client?.isLoopback ?? true
    }
}
