import MicroHTTP
import ReorderService
import Synchronization

/// A request to the API. Its handler runs once and makes a job, which leads to other jobs and at last to
/// a response.
///
/// `@unchecked Sendable`: only the event loop's thread uses it, except `arrival`, `isAbandoned`, and what
/// does not change.
final class Call: @unchecked Sendable {
    private let request: Request
    private let api: ReorderAPI
    private let endpoint: Endpoint
    private let exchange: any HTTPExchange

    /// What follows from the current job.
    private struct Arrival {
        var next: Job.Next?
        /// Whether the event loop has left the request, so that it must be resumed.
        var isAwaited = false
    }

    private let arrival = Mutex(Arrival())
    /// The poll that the request waits for.
    private var poll: (LongPoll, next: @Sendable (_ isOver: Bool) throws -> Job)?
    /// Whether searches are not to begin any more: the client has left, or has waited too long.
    private let isAbandoned = Atomic<Bool>(false)

    private init(_ exchange: any HTTPExchange, _ endpoint: Endpoint, _ api: ReorderAPI) {
        self.exchange = exchange
        self.endpoint = endpoint
        self.api = api
        var request = exchange.request
        if let ticket = request.principal as? TicketPrincipal,
            endpoint.query?.contains("ticket") == true
        {
            request.principal = ticket.access
        }
        self.request = request
    }

    /// Handles a request, from the beginning or after a wait.
    static func handle(
        _ exchange: any HTTPExchange, _ endpoint: Endpoint, _ api: ReorderAPI
    ) -> Response? {
        if let call = exchange.state as? Call {
            let response = call.takeNext().flatMap { call.response(after: $0) }
            if response != nil { exchange.state = nil }
            return response
        }
        let call = Call(exchange, endpoint, api)
        let response = call.response(after: call.begin)
        if response == nil { exchange.state = call }
        return response
    }

    // MARK: On the event loop

    private func begin() throws -> Job {
        // To read a large body would delay the other requests of the event loop. A streamed body was
        // read before, but its content is as much work as that of any other body.
        let content = request.body.count + (request.bodyReader?.memoryBytes ?? 0)
        let size = WorkerThreads.Size(bytes: content)
        return size == .small ? try read() : .work(size, read)
    }

    @Sendable private func read() throws -> Job {
        try endpoint.check(request, api.access)
        return try endpoint.handler(api, request)
    }

    /// Does jobs until there is a response, or until one has to wait. Then it returns nil.
    private func response(after first: Job.Next) -> Response? {
        var next = first
        while true {
            do {
                switch try next() {
                case .respond(let response): return response
                case .write(let write, let rendering):
                    api.service.write(write, as: rendering) { [self] outcome in
                        proceed { .respond(try rendering.response(to: outcome)) }
                    }
                case .wait(let begin): begin { [self] in proceed($0) }
                case .work(let size, let work): self.work(size, work)
                case .poll(let poll, let next): wait(for: poll, next)
                }
            } catch {
                return problem(error).response(api.tags)
            }
            guard let arrived = takeNext() else { return nil }
            next = arrived
        }
    }

    /// What follows from the current job; nil if the request has to wait for it.
    private func takeNext() -> Job.Next? {
        if exchange.isTimeOver { isAbandoned.store(true, ordering: .releasing) }
        if let (poll, next) = poll {
            let isOver = exchange.isTimeOver
            guard isOver || poll.takeNews() else { return nil }
            self.poll = nil
            return { try next(isOver) }
        }
        return arrival.withLock { arrival in
            arrival.isAwaited = arrival.next == nil
            return arrival.next.take()
        }
    }

    private func wait(
        for poll: LongPoll, _ next: @escaping @Sendable (_ isOver: Bool) throws -> Job
    ) {
        exchange.resume(afterSeconds: Double(poll.seconds))
        poll.onNews { [exchange] in exchange.resume() }
        self.poll = (poll, next)
    }

    private func work(_ size: WorkerThreads.Size, _ work: @escaping Job.Next) {
        if size == .search { exchange.resume(afterSeconds: Self.searchSeconds) }
        let isTaken = api.service.workers.run(size) { [self] in
            if size == .search, isAbandoned.load(ordering: .acquiring) { return refuse() }
            let job = Result { try work() }
            proceed { try job.get() }
        }
        if !isTaken { refuse() }
    }

    /// A search that has waited so long, or whose client has left, is not begun any more.
    private static let searchSeconds = 60.0

    // MARK: From any thread

    /// Ends the current job.
    private func proceed(_ next: @escaping Job.Next) {
        let isAwaited = arrival.withLock { arrival in
            assert(arrival.next == nil, "a job has ended twice")
            arrival.next = next
            defer { arrival.isAwaited = false }
            return arrival.isAwaited
        }
        if isAwaited { exchange.resume() }
    }

    private func refuse() { proceed { throw ServiceError.unavailable } }

    private func problem(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let error as ServiceError:
            endpoint.method == .get ? Problem(reading: error) : Problem(error)
        default: Problem(.internalError, "The request could not be handled.")
        }
    }
}

/// A route: its method and path, the access that it needs, and its handler.
final class Endpoint: Sendable {
    let method: HTTPMethod
    let pattern: String
    let access: RouteAccess
    /// The accepted query parameters. A request with any other parameter is refused. nil accepts
    /// and ignores all parameters: people share links to the web page with the parameters of other
    /// programs, and browsers, proxies and monitors add parameters to requests for files and for the
    /// server's state.
    let query: [String]?
    /// A Boolean query parameter that makes the request's effect irreversible. With it, the request
    /// needs the scope `purge`.
    let irreversible: String?
    /// Whether the body is a list, which can also be sent in lines (`ListUpload`).
    let acceptsLines: Bool
    let handler: @Sendable (ReorderAPI, Request) throws -> Job

    init(
        _ method: HTTPMethod, _ pattern: String, _ access: RouteAccess, query: [String]? = [],
        irreversible: String? = nil, acceptsLines: Bool = false,
        _ handler: @escaping @Sendable (ReorderAPI, Request) throws -> Job
    ) {
        self.method = method
        self.pattern = pattern
        self.access = access
        self.query = query
        self.irreversible = irreversible
        self.acceptsLines = acceptsLines
        self.handler = handler
    }

    /// Checks the access to the route, the header fields and the names of the query's parameters.
    func check(_ request: Request, _ authorizer: RequestAuthorizer?) throws(Problem) {
        try authorizer?.check(request, needs: access)
        try request.checkFields()
        if let query { try request.checkQuery(query) }
        if let irreversible, try request.flag(irreversible) {
            try authorizer?.check(request, needs: RouteAccess(scope: .purge, list: access.list))
        }
    }
}
