/// One request, complete: its head and its body.
package struct Request: Sendable {
    package internal(set) var method: HTTPMethod
    /// The target and the header fields.
    package internal(set) var headers: RequestHead
    package private(set) var query = Query()
    /// The body's bytes, at most the server's limit; empty without a body. If the body has a reader, the
    /// bytes that the reader has not read.
    package internal(set) var body: [UInt8]
    /// Reads the body while it arrives; nil: the body is kept as a whole.
    package internal(set) var bodyReader: (any BodyReader)?
    /// The values of the route's `:names`, percent-decoded. They may contain any character except
    /// control characters. A value with a `/` (from `%2F`) is an id that can't exist.
    package internal(set) var pathParameters = PathParameters()
    /// The index of the route among the router's; nil before routing.
    var routeIndex: Int?
    /// Whether its response came from the cache.
    var isReady = false
    /// The result of the rate limiter.
    var verdict: RateLimiter.Verdict?
    /// The id that the client sent.
    var id: String?
    /// The time at which the event loop began to handle the complete request, in nanoseconds of the monotonic clock.
    var startNanoseconds = 0
    /// The peer's address, which may be a proxy's; nil if the connection is not an internet connection.
    package internal(set) var client: ClientAddress?
    /// The coding for the response; nil if the server compresses no responses. Then no response
    /// depends on `Accept-Encoding`.
    package var coding: ContentCoding? = .identity
    /// The principal, if the router's authenticator has set it.
    package var principal: (any Principal)?

    init(method: HTTPMethod, headers: RequestHead, body: [UInt8]) {
        self.method = method
        self.headers = headers
        self.body = body
        parseQuery()
    }

    /// A request as if it had come over a connection, for calling a router directly.
    package init(
        method: HTTPMethod, target: String, headers: HeaderFields = [:], body: [UInt8] = []
    ) {
        self.init(
            method: method, headers: RequestHead(target: target, headers: headers), body: body)
    }

    /// A request whose head has not arrived.
    init(from client: ClientAddress?, at time: Int) {
        method = .get
        headers = RequestHead()
        body = []
        self.client = client
        startNanoseconds = time
    }

    /// Takes over a head that was checked. This one is empty.
    mutating func begin(_ scan: inout RequestValidator, at time: Int) {
        swap(&headers, &scan.head)
        parseQuery()
        method = scan.method
        id = scan.requestID
        startNanoseconds = time
    }

    private mutating func parseQuery() {
        if headers.queryRange != nil { query = Query(headers.query) }
    }

    /// Memory that the next request of a connection uses again.
    struct Memory {
        var head = RequestHead()
        var body: [UInt8] = []
        var parameters: [String] = []

        fileprivate static let keptBodyBytes = 4 << 10
    }

    /// Uses the memory of a request that has ended. This one is empty.
    mutating func use(_ memory: inout Memory) {
        swap(&headers, &memory.head)
        swap(&body, &memory.body)
        swap(&pathParameters.values, &memory.parameters)
    }

    /// Gives the memory back at the end.
    mutating func giveBack(_ memory: inout Memory) {
        use(&memory)
        memory.head.removeAll()
        if !memory.body.isEmpty {
            memory.body.removeAll(keepingCapacity: memory.body.capacity <= Memory.keptBodyBytes)
        }
        if !memory.parameters.isEmpty { memory.parameters.removeAll(keepingCapacity: true) }
    }

    /// The path, undecoded, without the query.
    package var rawPath: String { String(decoding: headers.path, as: UTF8.self) }

    /// Whether the path is this path, or one below it.
    package func isBelow(_ path: some Collection<UInt8>) -> Bool {
        headers.path.starts(with: path)
            && (headers.path.count == path.count
                || headers.path.dropFirst(path.count).first == UInt8(ascii: "/"))
    }

    /// The segments of the path, decoded; the last one is empty if the path ends with a slash. nil if the path
    /// is malformed.
    package var pathSegments: [String]? { Self.segments(ofPath: headers.path) }

    /// The segments of a path like those of the request.
    package static func segments(ofPath path: some Collection<UInt8>) -> [String]? {
        var segments: [String] = []
        for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst()
        {
            var decoded: [UInt8] = []
            guard appendPercentDecoded(segment, to: &decoded),
                !decoded.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") }),
                let text = String(validating: decoded, as: UTF8.self)
            else { return nil }
            segments.append(text)
        }
        return segments
    }

    /// The path's last segment, for lookups in the cache. nil unless the path is `prefix` and one
    /// segment of ASCII without `%`, and the request has no query.
    package func plainSegment(after prefix: StaticString) -> String? {
        guard headers.queryRange == nil else { return nil }
        return headers.withPath { path in
            let count = prefix.utf8CodeUnitCount
            guard path.count > count,
                UnsafeBufferPointer(rebasing: path[..<count]).equals(prefix)
            else { return nil }
            let segment = UnsafeBufferPointer(rebasing: path[count...])
            for byte in segment
            where byte >= 0x80 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%") {
                return nil
            }
            return String(decoding: segment, as: UTF8.self)
        }
    }
}

/// The values of a route's parameters by name.
package struct PathParameters: Sendable {
    var names: [String] = []
    var values: [String] = []

    /// The decoded value of `:name`; nil if the route's pattern does not have it.
    package subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}
