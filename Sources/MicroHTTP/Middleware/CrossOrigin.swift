/// Which web pages of other origins may use the server, and which fields they may send and read
/// (CORS, as defined by the Fetch standard). Only browsers enforce this: the server responds to a
/// request of another origin too, but the browser does not give the response to the page.
package struct CrossOrigin: Sendable {
    /// The origins whose pages may use the server.
    package enum Origins: Sendable, Equatable {
        case any
        /// Each origin has the form that browsers send: `https://example.org:8443`, in lower case.
        case only(Set<String>)
    }

    private let origins: Origins
    private let allowedHeaders: String
    private let exposedHeaders: String

    /// How long a browser may keep the response to a preflight.
    private static let maximumAgeSeconds = 7_200

    /// - Parameters:
    ///   - allowedHeaders: header fields that a page may send.
    ///   - exposedHeaders: header fields of a response that a page may read.
    package init(_ origins: Origins, allowedHeaders: [String], exposedHeaders: [String]) {
        self.origins = origins
        self.allowedHeaders = allowedHeaders.joined(separator: ", ")
        self.exposedHeaders = exposedHeaders.joined(separator: ", ")
    }

    /// Whether the request is a preflight.
    static func isPreflight(_ request: Request) -> Bool {
        request.method == .options && request.headers["Origin"] != nil
            && request.headers["Access-Control-Request-Method"] != nil
    }

    /// The response to a preflight, which says that the page may use these methods.
    func preflightResponse(to request: Request, methods: [HTTPMethod]) -> Response {
        var response = Response(status: 204)
        if let origin = allowedOrigin(for: request) {
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Allow-Methods"] =
                methods.map(\.rawValue).sorted().joined(separator: ", ")
            response.headers["Access-Control-Allow-Headers"] = allowedHeaders
            response.headers["Access-Control-Max-Age"] = "\(Self.maximumAgeSeconds)"
        }
        addVary(to: &response)
        return response
    }

    /// Adds the fields that let a page read the response. The response to a preflight already has them.
    func addFields(to response: inout Response, for request: Request) {
        guard response.status != 204 || !Self.isPreflight(request) else { return }
        if let origin = allowedOrigin(for: request) {
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = exposedHeaders
        }
        addVary(to: &response)
    }

    /// The value of `Access-Control-Allow-Origin`; nil if the field is left out.
    private func allowedOrigin(for request: Request) -> String? {
        switch origins {
        // Also for requests without an origin. So the response is the same for all, and caches can
        // share it.
        case .any: "*"
        case .only(let origins):
            request.headers["Origin"].flatMap { origins.contains($0) ? $0 : nil }
        }
    }

    /// A cache must not give one origin's response to another.
    private func addVary(to response: inout Response) {
        guard origins != .any else { return }
        response.headers.addVary("Origin")
    }
}
