import Glibc

/// A response: a status, header fields and a body.
///
/// The server adds `Content-Length`, `Date` and `Connection`. It leaves out a field whose name or
/// value is not valid. So data with a line break can't add another field.
package struct Response: Sendable {
    package var status: Int { didSet { detach() } }
    package var headers: HeaderFields { didSet { hasOwnFields = true } }
    /// The application's code for the reason of a refusal, for metrics and logs. The server does
    /// not send it.
    package var refusal: String?
    private var content: Content
    /// Whether the header fields were changed. Then the response shares only the body of
    /// `prepared`.
    private(set) var hasOwnFields = false
    /// Whether this is the form for the client's `Accept-Encoding` already.
    var isCoded = false
    /// For a 304: the length of the body that the client already has; nil if unknown.
    private(set) var unsentBodyCount: Int?
    /// The stream that sends the body; nil: the body is `body`.
    package private(set) var stream: EventStream?
    /// Sent as `X-Request-Id`. Set by the middleware.
    var id: RequestID?
    /// The reserved memory of a large body, released when the body is sent. Set by the middleware.
    var reservation: ResponseBudget.Reservation?

    private enum Content {
        case body([UInt8])
        case prepared(PreparedResponse)
    }

    package init(status: Int, headers: HeaderFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        content = .body(body)
    }

    /// Shares a prepared response. If the header fields are changed later, the body is still
    /// shared.
    package init(_ prepared: PreparedResponse) {
        status = prepared.status
        headers = prepared.headers
        content = .prepared(prepared)
        unsentBodyCount = prepared.unsentBodyCount
        isCoded = true
    }

    /// The 304 response for a client that already has this one, with the same fields except `Content-Type`
    /// and `Content-Encoding`.
    ///
    /// Its `Content-Length` is the length of this response's body (RFC 9110, section 8.6). A 304
    /// that is made in another way has no `Content-Length`, and the connection ends with it:
    /// libmicrohttpd 0.9 can leave out the field in no other way.
    package var notModified: Response {
        if !hasOwnFields, let kept = prepared?.notModified { return Response(kept) }
        var response = Response(status: 304, headers: headers)
        response.headers["Content-Type"] = nil
        response.headers["Content-Encoding"] = nil
        response.isCoded = true
        response.unsentBodyCount = bodyCount
        return response
    }

    /// A response whose body is a stream. The connection ends with it.
    package init(status: Int, headers: HeaderFields, stream: EventStream) {
        self.init(status: status, headers: headers)
        self.stream = stream
    }

    /// The body's bytes. Complexity: O(length) for a prepared response.
    package var body: [UInt8] {
        get {
            switch content {
            case .body(let body): body
            case .prepared(let prepared): prepared.body
            }
        }
        set { content = .body(newValue) }
    }

    /// Bytes of the body. Complexity: O(1).
    package var bodyCount: Int {
        switch content {
        case .body(let body): body.count
        case .prepared(let prepared): prepared.bodyCount
        }
    }

    /// The response in prepared form, if it has one.
    var prepared: PreparedResponse? {
        if case .prepared(let prepared) = content { prepared } else { nil }
    }

    /// The bytes of the whole response, for sending without libmicrohttpd. The connection ends with it.
    var closingBytes: [UInt8] {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        let date = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            let count = strftime(
                text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        let reason = status == 408 ? "Request Timeout" : "Closing"
        var head = "HTTP/1.1 \(status) \(reason)\r\nDate: \(date)\r\n"
        for field in headers.fields { head += "\(field.name): \(field.value)\r\n" }
        if let id { head += "\(RequestID.fieldName): \(id.text)\r\n" }
        head += "Connection: close\r\nContent-Length: \(bodyCount)\r\n\r\n"
        return Array(head.utf8) + body
    }

    private mutating func detach() {
        if let prepared { content = .body(prepared.body) }
    }
}
