/// Why the HTTP layer responds to a request itself. The application renders the response.
package enum HTTPFailure: Equatable, Sendable {
    /// 404: no route has this path.
    case notFound
    /// 405: the path has routes, but none for this method. The router adds `Allow`.
    case methodNotAllowed(allow: [HTTPMethod])
    /// 413: the body is larger than the server accepts.
    case bodyTooLarge(limitBytes: Int)
    /// 413: the content of a streamed body needs more memory than all bodies together may use.
    case contentTooLarge(limitBytes: Int)
    /// 415: the body has a content coding. The middleware adds `Accept-Encoding`.
    case codedBody
    /// 408: the request was not received in time.
    case requestTimeout
    /// 400: the request is malformed; `reason` is for the client.
    case badRequest(reason: String)
    /// 429: the client exceeds its request rate. The middleware adds `Retry-After`.
    case tooManyRequests
    /// 503: the bodies of other requests use up the memory for bodies.
    case tooManyBodies
    /// 503: responses that clients have not read yet use up the memory for responses. The request
    /// was a GET.
    case tooManyResponses
    /// 503: like `tooManyResponses`, but for other methods. The handler has run, so it may have
    /// changed data.
    case responseNotSent
    /// 503: the server is stopping. The request has changed nothing.
    case unavailable
    /// 503: the server is stopping, and the request's handler has begun. The request may change data.
    case outcomeUnknown

    package var status: Int {
        switch self {
        case .notFound: 404
        case .methodNotAllowed: 405
        case .bodyTooLarge, .contentTooLarge: 413
        case .codedBody: 415
        case .requestTimeout: 408
        case .badRequest: 400
        case .tooManyRequests: 429
        case .tooManyBodies, .tooManyResponses, .responseNotSent, .unavailable, .outcomeUnknown:
            503
        }
    }

    /// The default response: a line of text.
    package func plainResponse() -> Response {
        let text =
            switch self {
            case .notFound: "not found"
            case .methodNotAllowed: "method not allowed"
            case .bodyTooLarge(let limitBytes): "body larger than \(limitBytes) bytes"
            case .contentTooLarge(let limitBytes):
                "the content of the body takes more than \(limitBytes) bytes of memory"
            case .codedBody: "send the body without Content-Encoding"
            case .requestTimeout: "the request was not received in time"
            case .badRequest(let reason): reason
            case .tooManyRequests: "too many requests"
            case .tooManyBodies: "too many large bodies at once"
            case .tooManyResponses: "too many large responses are being read"
            case .responseNotSent:
                "the request was handled, but its response is too large to be sent now"
            case .unavailable: "the server is stopping"
            case .outcomeUnknown: "the server is stopping; the request may have been handled"
            }
        return Response(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: Array("\(text)\n".utf8))
    }
}
