/// Which web pages of other origins may use the server, and what they may send and see (CORS, as the
/// Fetch standard has it). It decides nothing but what a browser lets its page do: a request of an
/// origin that is not named here is answered like any other, and the browser keeps the answer.
package struct CrossOrigin: Sendable {
    /// The origins whose pages may use the server.
    package enum Origins: Sendable, Equatable {
        case any
        /// Each as browsers write it: `https://example.org:8443`, in lower case.
        case only(Set<String>)
    }

    private let origins: Origins
    private let allowedHeaders: String
    private let exposedHeaders: String

    /// How long a browser may remember what it was told before a request.
    private static let maximumAgeSeconds = 7_200

    /// - Parameters:
    ///   - allowedHeaders: header fields that a page may send.
    ///   - exposedHeaders: header fields of an answer that a page may read.
    package init(_ origins: Origins, allowedHeaders: [String], exposedHeaders: [String]) {
        self.origins = origins
        self.allowedHeaders = allowedHeaders.joined(separator: ", ")
        self.exposedHeaders = exposedHeaders.joined(separator: ", ")
    }

    /// Whether a browser asks what a page may do, before it does it.
    static func isPreflight(_ request: Request) -> Bool {
        request.method == .options && request.headers["Origin"] != nil
            && request.headers["Access-Control-Request-Method"] != nil
    }

    /// The answer to such a question: these methods may be used.
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

    /// The answer to any other request, with what lets a page read it.
    func response(_ response: Response, to request: Request) -> Response {
        var response = response
        if let origin = allowedOrigin(for: request) {
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = exposedHeaders
        }
        addVary(to: &response)
        return response
    }

    /// What `Access-Control-Allow-Origin` says; `nil` where the field is left out.
    private func allowedOrigin(for request: Request) -> String? {
        switch origins {
        // To requests that tell no origin too: the answer is the same for all, and may be kept for all.
        case .any: "*"
        case .only(let origins):
            request.headers["Origin"].flatMap { origins.contains($0) ? $0 : nil }
        }
    }

    /// A cache must not give one origin's answer to another, nor one that was asked for without.
    private func addVary(to response: inout Response) {
        guard origins != .any else { return }
        response.headers["Vary"] = response.headers["Vary"].map { "\($0), Origin" } ?? "Origin"
    }
}
