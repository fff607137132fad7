/// The steps of every request before its handler, and of every response before it is sent, in production and in
/// process.
///
///     before   0 choose the coding of the response (`Accept-Encoding`)
///              1 authenticate: set the principal, or refuse the request
///              2 limit the client's rate
///              3 refuse a body that has a content coding
///              (a cached response, or the handler)
///     after    4 choose the form: 304 if the client has the response, otherwise compress it
///              5 limit the memory of large bodies that clients have not read
///              6 add the fields of CORS
///              7 add the fields of the rate limit
///              8 count the request and its time
///              9 add the request's id, and log it
///
/// Each event loop has its own middleware object, so that nothing here is shared between threads.
///
/// `@unchecked Sendable`: used by the loop's thread only, or under the router's lock.
final class Middleware: @unchecked Sendable {
    private unowned let router: Router
    private let authenticate: Authenticator?
    private let rates: RequestRates?
    private let crossOrigin: CrossOrigin?
    private let accessLog: AccessLog?
    private let compresses: Bool
    private let budget: ResponseBudget
    private let clock: MonotonicClock
    let metrics: LoopMetrics
    private var ids = RequestIDSequence()

    init(_ router: Router, budget: ResponseBudget, clock: @escaping MonotonicClock) {
        self.router = router
        self.budget = budget
        self.clock = clock
        // A closure of its own, because the loops would compete for the reference count of a shared one.
        if let shared = router.authenticate {
            authenticate = { shared(&$0) }
        } else {
            authenticate = nil
        }
        rates = router.rates
        crossOrigin = router.crossOrigin
        accessLog = router.accessLog
        compresses = router.compressesResponses
        metrics = router.recorder.part(of: router.routes)
    }

    /// Runs the steps before the handler, when the head is received and the body is not.
    ///
    /// - Returns: a response if the request needs no handler.
    func before(_ request: inout Request) -> Response? {
        request.coding = compresses ? request.headers.acceptedCoding : nil
        if let authenticate, let response = authenticate(&request) { return response }
        if let rates, let verdict = rates.ask(request, from: client(of: request), now: clock()) {
            request.verdict = verdict
            if !verdict.isAllowed { return router.response(to: .tooManyRequests, request) }
        }
        guard request.headers.hasCodedBody else { return nil }
        var response = router.response(to: .codedBody, request)
        // RFC 9110, section 12.5.3.
        response.headers["Accept-Encoding"] = "identity"
        return response
    }

    /// Completes a response of a handler, the cache or the middleware.
    ///
    /// - Parameters:
    ///   - request: not changed; it is `inout` because a copy is slower.
    ///   - isClosing: whether the response ends its connection.
    func after(_ response: inout Response, _ request: inout Request, isClosing: Bool = false) {
        if response.stream == nil {
            chooseForm(&response, &request)
        } else {
            setStreamCoding(of: &response, request)
        }
        if response.bodyCount > ResponseBudget.smallBytes, request.method != .head {
            limitMemory(&response, request)
        }
        if let crossOrigin { crossOrigin.addFields(to: &response, for: request) }
        if let rates, let verdict = request.verdict { rates.addFields(to: &response, verdict) }
        let nanoseconds = clock() - request.startNanoseconds
        metrics.count(&response, &request, nanoseconds: nanoseconds)
        let isReported =
            accessLog?.includes(status: response.status, nanoseconds: nanoseconds) ?? false
        if let id = request.id {
            response.id = .given(id)
        } else if isReported || isClosing || response.prepared == nil || response.hasOwnFields {
            // Other responses are shared by many connections, and get no id.
            response.id = ids.next()
        }
        if isReported, let accessLog, let id = response.id {
            accessLog.write(entry(response, request, id, nanoseconds))
        }
    }

    /// Compresses the response if the client accepts that, and replaces it with 304 if the client
    /// has this form of it.
    private func chooseForm(_ response: inout Response, _ request: inout Request) {
        let isRead = request.method.isRead
        // The cache compares the tags itself.
        let seen = isRead && response.status == 200 && !request.isReady ? request.seenTags : nil
        if !response.isCoded, request.coding != nil, response.isCompressible {
            response.headers.addVary("Accept-Encoding")
            // A client that has the identity form does not need the other one.
            let isSeen = response.headers["ETag"].map { seen?.contains($0[...]) == true } ?? false
            if !isSeen, request.coding == .gzip,
                response.bodyCount <= Response.maximumBytesCompressedOnce
            {
                response.compress(.once, isRead: isRead && response.status == 200)
            }
        }
        if let seen, let tag = response.headers["ETag"],
            seen.contains("*") || seen.contains(tag[...])
        {
            response = response.notModified
        }
    }

    /// Sets the fields of an event stream. Its connection compresses it.
    private func setStreamCoding(of response: inout Response, _ request: Request) {
        guard let coding = request.coding else { return }
        response.headers.addVary("Accept-Encoding")
        if coding == .gzip { response.headers["Content-Encoding"] = "gzip" }
    }

    private func limitMemory(_ response: inout Response, _ request: Request) {
        let share = memoryShare(of: request)
        response.reservation =
            if let prepared = response.prepared {
                prepared.reservation(in: share)
            } else {
                budget.reserve(response.bodyCount, for: share.client)
            }
        guard response.reservation == nil else { return }
        response = router.response(
            to: request.method == .get ? .tooManyResponses : .responseNotSent, request)
    }

    /// Where the memory that the request's client has not read is counted.
    func memoryShare(of request: Request) -> ResponseBudget.Share {
        ResponseBudget.Share(budget: budget, client: client(of: request))
    }

    /// The client whose requests and responses are limited together: the principal, or else the
    /// network of the client's address.
    private func client(of request: Request) -> RateLimiter.Client? {
        if let name = request.principal?.principalName { return .name(name) }
        return router.trustedProxies.client(of: request).map { .network($0.network) }
    }

    private func entry(
        _ response: Response, _ request: Request, _ id: RequestID, _ nanoseconds: Int
    ) -> AccessLogEntry {
        AccessLogEntry(
            id: id.text, method: request.method,
            path: String(
                decoding: request.headers.path.prefix(Self.mostLoggedPathBytes), as: UTF8.self),
            route: request.routeIndex.map { router.routes[$0].pattern },
            client: router.trustedProxies.client(of: request),
            principal: request.principal?.displayName,
            trace: TraceContext(request.headers.all("traceparent")), status: response.status,
            refusal: response.refusal,
            bodyBytes: response.stream == nil ? response.bodyCount : 0,
            seconds: Double(nanoseconds) / 1_000_000_000)
    }

    private static let mostLoggedPathBytes = 512
}
