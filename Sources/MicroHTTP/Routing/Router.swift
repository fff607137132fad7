import Synchronization

/// Finds the handler of a request by its method and path. If it finds none, it makes the response
/// itself.
///
/// `@unchecked Sendable`: one thread creates and configures it, and it does not change after a
/// server has it. So overlapping accesses to the properties that each request reads are not detected
/// at run time, for speed.
package final class Router: @unchecked Sendable {
    /// Called on an event loop's thread, so it must not block. If it returns nil, the request waits
    /// until `HTTPExchange.resume` is called, and the handler is called again.
    package typealias Handler = @Sendable (any HTTPExchange) -> Response?
    package typealias FailureHandler = @Sendable (HTTPFailure, Request) -> Response

    /// All routes, in the order in which they were added.
    package private(set) var routes: [Route] = []

    /// The first middleware.
    package var authenticate: Authenticator?

    /// Returns a cached response before the route is searched. Called for each GET, on an event
    /// loop's thread. The response must be the same as the route's. If it returns nil, the route is
    /// searched.
    package typealias CachedLookup = @Sendable (Request) -> PreparedResponse?

    /// Counts the requests.
    package let recorder: RequestRecorder

    private var cachedLookup: CachedLookup?
    /// The index in `routes` of the route with cached responses.
    private var cachedRoute: Int?

    /// Allows pages of other origins to send requests. nil: they are not allowed, and responses
    /// have no CORS fields.
    package var crossOrigin: CrossOrigin?

    /// The proxies whose `X-Forwarded-For` is trusted. Limits count the client that it names.
    package var trustedProxies = TrustedProxies([])

    /// Limits the request rate of each client; nil: no limit.
    package var rates: RequestRates?

    /// Whether responses are compressed for clients that accept it.
    package var compressesResponses = true

    /// Which responses are logged, and how.
    package var accessLog: AccessLog?

    /// The middleware for requests without a connection.
    private let middleware = Mutex<Middleware?>(nil)

    private let onFailure: FailureHandler
    @exclusivity(unchecked) private var tree = RouteTree()
    @exclusivity(unchecked) private var handlers: [RouteHandler] = []
    private var hasStreamedBodies = false
    @exclusivity(unchecked) private var mounts: [Mount] = []

    /// A handler of all methods at a path and below it.
    private struct Mount: Sendable {
        let path: [UInt8]
        let methods: [HTTPMethod]
        let index: Int
    }

    private struct RouteHandler: Sendable {
        let parameterNames: [String]
        let streamedBody: StreamedBody?
        let handle: Handler
    }

    /// - Parameter onFailure: renders the responses to requests that reach no handler. Called on any thread.
    package init(
        recorder: RequestRecorder = RequestRecorder(),
        onFailure: @escaping FailureHandler = { failure, _ in failure.plainResponse() }
    ) {
        self.recorder = recorder
        self.onFailure = onFailure
    }

    /// Adds a route. A segment of the pattern that starts with `:` is a parameter, of at least one
    /// character; the others are compared literally. A literal takes precedence over a parameter. Adding the
    /// same method and path twice is a programming error.
    ///
    /// - Parameter streamedBody: the bodies that are read while they arrive; nil: none.
    package func on(
        _ method: HTTPMethod, _ pattern: String, streamedBody: StreamedBody? = nil,
        _ handler: @escaping Handler
    ) {
        precondition(pattern.first == "/", "a pattern starts with a slash: \(pattern)")
        let segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let isNew = tree.insert(handlers.count, method: method, segments: segments)
        precondition(isNew, "two routes for \(method) \(pattern)")
        let names = segments.filter { $0.first == ":" }.map { String($0.dropFirst()) }
        precondition(
            names.count <= RouteTree.Match.mostParameters, "too many parameters: \(pattern)")
        handlers.append(
            RouteHandler(parameterNames: names, streamedBody: streamedBody, handle: handler))
        hasStreamedBodies = hasStreamedBodies || streamedBody != nil
        routes.append(Route(method: method, pattern: pattern))
    }

    /// Adds a handler of all methods at a path and below it, which takes precedence over routes. The handler
    /// reads the path itself (`Request.pathSegments`).
    ///
    /// - Parameter methods: those that pages of other origins may use.
    package func mount(
        _ path: String, methods: [HTTPMethod], _ handler: @escaping Handler
    ) {
        mounts.append(
            Mount(path: Array(path.utf8), methods: methods, index: handlers.count))
        handlers.append(RouteHandler(parameterNames: [], streamedBody: nil, handle: handler))
        routes.append(Route(method: .any, pattern: "\(path)/*"))
    }

    /// Lets `cachedLookup` respond to GET requests of a route that was added before.
    package func onCached(_ pattern: String, _ cachedLookup: @escaping CachedLookup) {
        self.cachedLookup = cachedLookup
        cachedRoute = routes.firstIndex(of: Route(method: .get, pattern: pattern))
    }

    /// Calls `body` with the middleware for requests without a connection.
    func withMiddleware<Result: Sendable>(_ body: (Middleware) -> Result) -> Result {
        middleware.withLock { middleware in
            let current =
                middleware
                ?? Middleware(
                    self, budget: ResponseBudget(limitBytes: .max), clock: monotonicNanoseconds)
            middleware = current
            return body(current)
        }
    }

    /// Finds the route of a request. Returns a response if the request needs no handler.
    ///
    /// HEAD is handled like GET, but the server does not send the body. OPTIONS without a handler
    /// gets a response with `Allow`.
    func route(_ request: inout Request) -> Response? {
        if request.method == .get, let cachedLookup, let ready = cachedLookup(request) {
            request.routeIndex = cachedRoute
            request.isReady = true
            return Response(ready)
        }
        guard let failure = find(&request) else { return nil }
        return redirect(failure, request) ?? response(to: failure, request)
    }

    /// Makes the reader of a request's body, when the head has arrived.
    ///
    /// - Parameter maximumPartBytes: the maximum number of bytes that the reader may need at once.
    /// - Returns: nil if the body is to be kept as a whole.
    func bodyReader(for request: Request, maximumPartBytes: Int) -> (any BodyReader)? {
        guard hasStreamedBodies else { return nil }
        var routed = request
        guard find(&routed) == nil, let index = routed.routeIndex,
            let streamedBody = handlers[index].streamedBody,
            request.headers.hasMediaType(streamedBody.mediaType)
        else { return nil }
        return streamedBody.makeReader(routed, maximumPartBytes)
    }

    /// Calls the handler of a request that `route` has found.
    func handle(_ exchange: some HTTPExchange) -> Response? {
        exchange.routeIndex.flatMap { handlers[$0].handle(exchange) }
    }

    /// The response to a request that reaches no handler.
    func response(to failure: HTTPFailure, _ request: Request) -> Response {
        guard let crossOrigin, CrossOrigin.isPreflight(request) else {
            return ownResponse(to: failure, request)
        }
        switch failure {
        case .methodNotAllowed(let allow):
            return crossOrigin.preflightResponse(to: request, methods: allow)
        case .notFound:
            // Allows all methods, so that the page sends the request and can read the 404.
            let methods = Set(routes.map(\.method)).subtracting([.any]).union([.head, .options])
            return crossOrigin.preflightResponse(to: request, methods: Array(methods))
        default: return ownResponse(to: failure, request)
        }
    }

    /// Redirects a request that found no route because of an extra or missing slash at the end of its path. The
    /// request is not served at once, because a proxy in front may allow only one of the two paths.
    private func redirect(_ failure: HTTPFailure, _ request: Request) -> Response? {
        guard failure == .notFound, !CrossOrigin.isPreflight(request) else { return nil }
        let slash = UInt8(ascii: "/")
        var path = Array(request.headers.path)
        if path.last == slash { path.removeLast() } else { path.append(slash) }
        let target =
            path
            + (request.headers.query.isEmpty ? [] : [UInt8(ascii: "?")] + request.headers.query)
        guard hasRoute(path), target.allSatisfy({ $0 < 0x80 }) else { return nil }
        // 308 keeps the method and the body.
        return Response(
            status: 308, headers: ["Location": String(decoding: target, as: UTF8.self)])
    }

    private func hasRoute(_ path: [UInt8]) -> Bool {
        guard let decoded = decodedSegments(of: path[...]) else { return false }
        return decoded.withUnsafeBufferPointer { tree.match($0, separator: 0) != nil }
    }

    /// Sets the request's route, and the values of its parameters. If there is no route, it returns
    /// the reason.
    private func find(_ request: inout Request) -> HTTPFailure? {
        if !mounts.isEmpty, let mount = mounts.first(where: { request.isBelow($0.path) }) {
            if crossOrigin != nil, CrossOrigin.isPreflight(request) {
                return .methodNotAllowed(allow: mount.methods)
            }
            request.routeIndex = mount.index
            return nil
        }
        let head = request.headers
        guard head.path.contains(UInt8(ascii: "%")) else {
            return head.withPath { find(&request, path: $0, separator: UInt8(ascii: "/")) }
        }
        guard let decoded = decodedSegments(of: head.path) else {
            return .badRequest(reason: "malformed percent-encoding in the path")
        }
        return decoded.withUnsafeBufferPointer { find(&request, path: $0, separator: 0) }
    }

    private func find(
        _ request: inout Request, path: UnsafeBufferPointer<UInt8>, separator: UInt8
    ) -> HTTPFailure? {
        guard let match = tree.match(path, separator: separator) else { return .notFound }
        let method = request.method
        let index =
            tree.route(at: match.node, method: method)
            ?? (method == .head ? tree.route(at: match.node, method: .get) : nil)
        guard let index else { return .methodNotAllowed(allow: allowedMethods(at: match.node)) }
        request.pathParameters.names = handlers[index].parameterNames
        for place in 0..<match.parameterCount {
            let bytes = UnsafeBufferPointer(rebasing: path[match[place]])
            // Validating is several times slower than decoding ASCII.
            var others: UInt8 = 0
            for byte in bytes { others |= byte }
            let value =
                others < 0x80
                ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
            guard let value else { return .badRequest(reason: "the path is not UTF-8") }
            request.pathParameters.values.append(value)
        }
        request.routeIndex = index
        return nil
    }

    /// The decoded segments, with a zero byte before each of them; nil if a segment is malformed.
    ///
    /// The separator is not a slash, because a decoded segment may contain one. It contains no
    /// control character.
    private func decodedSegments(of path: ArraySlice<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(path.count)
        for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst()
        {
            decoded.append(0)
            let start = decoded.count
            guard appendPercentDecoded(segment, to: &decoded),
                !decoded[start...].contains(where: { $0 < 0x20 || $0 == 0x7F })
            else { return nil }
        }
        return decoded
    }

    private func allowedMethods(at node: Int) -> [HTTPMethod] {
        let methods = Set(tree.methods(at: node))
        let implied: [HTTPMethod] = methods.contains(.get) ? [.head, .options] : [.options]
        return methods.union(implied).sorted { $0.rawValue < $1.rawValue }
    }

    private func ownResponse(to failure: HTTPFailure, _ request: Request) -> Response {
        guard case .methodNotAllowed(let allow) = failure else {
            return onFailure(failure, request)
        }
        var response =
            request.method == .options ? Response(status: 204) : onFailure(failure, request)
        response.headers["Allow"] = allow.map(\.rawValue).joined(separator: ", ")
        return response
    }
}

/// A request for a handler, and how to have the handler called again.
package protocol HTTPExchange: AnyObject, Sendable {
    /// The request, complete.
    var request: Request { get }
    /// The index of the route among the router's; nil before routing.
    var routeIndex: Int? { get }
    /// The handler's state, kept between its calls. Only the handler may use it.
    var state: AnyObject? { get set }
    /// Makes the loop call the handler again. Thread-safe. Does nothing if the response was sent meanwhile.
    func resume()
    /// Makes the loop call the handler again after this time, or earlier if the client disconnects or the server stops.
    /// Then `isTimeOver` is true. Call this in the handler; only the first call counts.
    func resume(afterSeconds seconds: Double)
    /// Whether the request's waiting time is over.
    var isTimeOver: Bool { get }
}
