/// Finds the handler of a request by its method and path, and responds if there is none.
///
/// `@unchecked Sendable`: one thread makes and configures it; once a server has it, it does not change.
package final class Router: @unchecked Sendable {
    /// Called on an event loop's thread: it must not block. If it does not respond, it is called again later.
    package typealias Handler = @Sendable (any HTTPExchange) -> HandlerResult
    package typealias FailureHandler = @Sendable (HTTPFailure, Request) -> Response

    package struct Route: Hashable, Sendable {
        package let method: HTTPMethod
        /// As it was given to `on`: `/lists/:id/move`.
        package let pattern: String

        package init(method: HTTPMethod, pattern: String) {
            self.method = method
            self.pattern = pattern
        }
    }

    /// All routes, in the order in which they were added.
    package private(set) var routes: [Route] = []

    /// Sees each request first; `nil`: there is nothing to see to.
    package var gate: Gate?

    /// Gives answers that are ready, before a route is looked for and anything made that could answer
    /// later: asked for each GET, on an event loop's thread. What it gives must be what the route
    /// would answer; `nil` leaves it to the route.
    package typealias ReadyAnswer = @Sendable (Request) -> PreparedResponse?

    /// What is counted of the requests that come this way.
    package let recorder: RequestRecorder

    private var readyAnswer: ReadyAnswer?
    /// The route whose answers may be ready, among `routes`.
    private(set) var readyRoute: Int?

    /// What pages of other origins may do; `nil`: nothing, and no answer says anything of it.
    package var crossOrigin: CrossOrigin?

    /// How often a client may ask; `nil`: as often as it likes.
    package var rates: RequestRates?

    /// Has handlers called again that hold their responses.
    package let rechecks = RecheckSignal()

    private let onFailure: FailureHandler
    private var tree = RouteTree()
    private var endpoints: [Endpoint] = []

    private struct Endpoint: Sendable {
        let pattern: String
        let parameterNames: [String]
        let handler: Handler
    }

    /// `onFailure` renders the answers that are not a handler's. It may be called on any thread.
    package init(
        recorder: RequestRecorder = RequestRecorder(),
        onFailure: @escaping FailureHandler = { failure, _ in failure.plainResponse() }
    ) {
        self.recorder = recorder
        self.onFailure = onFailure
    }

    /// Adds a route. A segment of the pattern that starts with `:` is a parameter, of at least one
    /// character; the others are compared literally. Where literal and parameter both fit, the
    /// literal is taken. The same method and path twice is a mistake of the program: it stops.
    package func on(
        _ method: HTTPMethod, _ pattern: String, _ handler: @escaping Handler
    ) {
        precondition(pattern.first == "/", "a pattern starts with a slash: \(pattern)")
        let segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let isNew = tree.insert(endpoints.count, method: method, segments: segments)
        precondition(isNew, "two routes for \(method) \(pattern)")
        let names = segments.filter { $0.first == ":" }.map { String($0.dropFirst()) }
        endpoints.append(Endpoint(pattern: pattern, parameterNames: names, handler: handler))
        routes.append(Route(method: method, pattern: pattern))
    }

    /// Has answers to GET by a route, which was added before, given by `readyAnswer` where it can.
    package func onReady(_ pattern: String, _ readyAnswer: @escaping ReadyAnswer) {
        self.readyAnswer = readyAnswer
        readyRoute = routes.firstIndex(of: Route(method: .get, pattern: pattern))
    }

    /// `readyAnswer` where it may be asked, as an object of who asks for it. Where origins or rates count,
    /// each answer has fields of its own.
    var readyAnswers: ReadyAnswer? {
        guard let readyAnswer, crossOrigin == nil, rates == nil else { return nil }
        return { readyAnswer($0) }
    }

    /// Finds the route of a request, or responds if no handler is to be called.
    ///
    /// HEAD is handled as GET, whose body the server does not send. OPTIONS is answered with `Allow` if it has no
    /// handler.
    func begin(_ request: inout Request) -> Response? {
        if let rates, let verdict = rates.ask(request) {
            request.verdict = verdict
            guard verdict.isAllowed else {
                return withRates(response(to: .tooManyRequests, request), request)
            }
        }
        switch find(&request) {
        case .success(let index):
            request.routeIndex = index
            return nil
        case .failure(let failure):
            return withRates(redirect(failure, request) ?? response(to: failure, request), request)
        }
    }

    /// Calls the handler of a request that has begun, and completes its response.
    func handle(_ exchange: some HTTPExchange) -> HandlerResult {
        guard let index = exchange.routeIndex else { return .wait }
        guard crossOrigin != nil || rates != nil else {
            return endpoints[index].handler(exchange)
        }
        let result = endpoints[index].handler(exchange)
        guard case .respond(var response) = result else { return result }
        let request = exchange.request
        if let crossOrigin { response = crossOrigin.response(response, to: request) }
        return .respond(withRates(response, request))
    }

    private func withRates(_ response: Response, _ request: Request) -> Response {
        guard let rates, let verdict = request.verdict else { return response }
        return rates.response(response, after: verdict)
    }

    /// The answer where no handler gives one.
    func response(to failure: HTTPFailure, _ request: Request) -> Response {
        guard let crossOrigin else { return ownResponse(to: failure, request) }
        guard CrossOrigin.isPreflight(request) else {
            return crossOrigin.response(ownResponse(to: failure, request), to: request)
        }
        switch failure {
        case .methodNotAllowed(let allow):
            return crossOrigin.preflightResponse(to: request, methods: allow)
        case .notFound:
            // So that the page may go on, and read that there is nothing.
            let methods = Set(routes.map(\.method)).union([.head, .options])
            return crossOrigin.preflightResponse(to: request, methods: Array(methods))
        default: return crossOrigin.response(ownResponse(to: failure, request), to: request)
        }
    }

    /// Redirects a request that found no route because of a slash too many, or too few, at the end of its
    /// path. It is not served there: a proxy in front may allow one of the two paths and not the other.
    private func redirect(_ failure: HTTPFailure, _ request: Request) -> Response? {
        guard failure == .notFound, !CrossOrigin.isPreflight(request) else { return nil }
        let slash = UInt8(ascii: "/")
        var path = Array(request.head.path)
        if path.last == slash { path.removeLast() } else { path.append(slash) }
        let target =
            path + (request.head.query.isEmpty ? [] : [UInt8(ascii: "?")] + request.head.query)
        guard hasRoute(path), target.allSatisfy({ $0 < 0x80 }) else { return nil }
        // 308 keeps the method and the body.
        let answer = Response(
            status: 308, headers: ["Location": String(decoding: target, as: UTF8.self)])
        return crossOrigin?.response(answer, to: request) ?? answer
    }

    private func hasRoute(_ path: [UInt8]) -> Bool {
        guard let decoded = decodedSegments(of: path[...]) else { return false }
        return decoded.withUnsafeBufferPointer { tree.match($0, separator: 0) != nil }
    }

    /// The route that a request takes, which is told what stands at its parameters.
    private func find(_ request: inout Request) -> Result<Int, HTTPFailure> {
        let path = request.head.path
        if path.contains(UInt8(ascii: "%")) {
            guard let decoded = decodedSegments(of: path) else {
                return .failure(.badRequest(reason: "malformed percent-encoding in the path"))
            }
            return decoded.withUnsafeBufferPointer { find(&request, path: $0, separator: 0) }
        }
        return path.withUnsafeBufferPointer {
            find(&request, path: $0, separator: UInt8(ascii: "/"))
        }
    }

    private func find(
        _ request: inout Request, path: UnsafeBufferPointer<UInt8>, separator: UInt8
    ) -> Result<Int, HTTPFailure> {
        guard let match = tree.match(path, separator: separator) else { return .failure(.notFound) }
        let method = request.method
        let index =
            tree.endpoint(at: match.node, method: method)
            ?? (method == .head ? tree.endpoint(at: match.node, method: .get) : nil)
        guard let index else {
            return .failure(.methodNotAllowed(allow: allowedMethods(at: match.node)))
        }
        request.route = endpoints[index].pattern
        request.pathParameters.names = endpoints[index].parameterNames
        for range in match.parameters {
            let bytes = UnsafeBufferPointer(rebasing: path[range])
            // Validating takes several times as long as decoding what nearly all are.
            let isASCII = bytes.allSatisfy { $0 < 0x80 }
            let value =
                isASCII
                ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
            guard let value else {
                return .failure(.badRequest(reason: "the path is not UTF-8"))
            }
            request.pathParameters.values.append(value)
        }
        return .success(index)
    }

    /// Each segment decoded and preceded by a zero byte; nil where one is malformed.
    ///
    /// Zero, because a decoded segment may hold a slash, and no control character is let through.
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
