import MicroHTTP
import ReorderService

/// A request to the API. Its handler makes a job of it, which runs until it returns a response. The
/// response waits until it can be sent.
///
/// `@unchecked Sendable` for the same reason as `RequestContext`: only the thread that runs the
/// request uses it.
final class Call: RequestHost, @unchecked Sendable {
    let request: Request
    /// The request's state in the service.
    let context: RequestContext
    private let api: ReorderAPI
    private let endpoint: Endpoint
    private let exchange: any HTTPExchange
    /// Set while the request waits for something that its job needs.
    private var job: Job?
    /// Set when the request was decided, until it is sent.
    private var response: Response?

    private init(_ exchange: any HTTPExchange, _ endpoint: Endpoint, _ api: ReorderAPI) {
        self.exchange = exchange
        self.endpoint = endpoint
        self.api = api
        var request = exchange.request
        if let ticket = request.principal as? TicketPrincipal,
            endpoint.query?.contains("ticket") == true
        {
            request.principal = ticket.grant
        }
        self.request = request
        context = RequestContext(api.service)
        context.host = self
    }

    /// Handles a request, from the beginning or after a wait.
    static func handle(
        _ exchange: any HTTPExchange, _ endpoint: Endpoint, _ api: ReorderAPI
    ) -> HandlerResult {
        let waiting = exchange.state as? Call
        let call = waiting ?? Call(exchange, endpoint, api)
        let result = call.nextResult()
        switch result {
        case .respond: if waiting != nil { exchange.state = nil }
        case .wait: if waiting == nil { exchange.state = call }
        }
        return result
    }

    private func nextResult() -> HandlerResult {
        var isResumed = true
        if exchange.isTimeOver { context.abandonSearch() }
        while true {
            switch context.next(isResumed: isResumed) {
            case .run:
                run()
                isResumed = false
            case .wait:
                if context.isSearching { exchange.resume(afterSeconds: Self.searchSeconds) }
                return .wait
            case .finish:
                end(isDone: true)
                return .respond(response.take() ?? Response(status: 500))
            case .fail(let error):
                end(isDone: false)
                return .respond(problem(error).response(api.tags))
            }
        }
    }

    /// A search that has waited so long, or whose client has left, is not begun any more.
    private static let searchSeconds = 60.0

    func resume() { exchange.resume() }

    func run() {
        do {
            response = try respond()
        } catch ServiceError.waiting {
            return context.suspend()
        } catch {
            response = problem(error).response(api.tags)
        }
        context.decided()
    }

    private func end(isDone: Bool) {
        context.end(isDone: isDone)
        job = nil
    }

    private func respond() throws -> Response {
        // To read a large body, and to decide what it asks for, would delay the other requests of the event loop. A
        // streamed body was read before, but its content is as much work as that of any other body.
        let content = request.body.count + (request.bodyReader?.memoryBytes ?? 0)
        let size = WorkerThreads.Size(bytes: content)
        if job == nil, size != .small, !context.isOnWorker { throw context.wait(forWorker: size) }
        var job = try job.take() ?? read()
        do {
            while true {
                switch job {
                case .respond(let response): return response
                case .write(let write, let rendering):
                    return try api.response(to: write, rendering, context)
                case .run(let work): return try work(self)
                case .then(let work): job = try work(self)
                }
            }
        } catch ServiceError.waiting {
            self.job = job
            throw ServiceError.waiting
        }
    }

    private func read() throws -> Job {
        try endpoint.check(request, api.access)
        return try endpoint.handler(api, request)
    }

    private func problem(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let error as ServiceError:
            endpoint.method == .get ? Problem(reading: error) : Problem(error)
        default: Problem(.internalError, "The request could not be handled.")
        }
    }

    // MARK: Waiting

    /// Runs the request again after this time, unless it has a response by then.
    func wait(atMostSeconds seconds: Int) { exchange.resume(afterSeconds: Double(seconds)) }

    /// Whether the time limit of `wait(atMostSeconds:)` has passed.
    var isTimeOver: Bool { exchange.isTimeOver }
}

/// A route: its method and path, the access that it needs, and its handler.
final class Endpoint: Sendable {
    let method: HTTPMethod
    let pattern: String
    let access: RouteAccess
    /// The accepted query parameters. A request with any other parameter is refused. nil accepts
    /// and ignores all parameters. The web page needs this, because other programs add parameters
    /// to links that people share.
    let query: [String]?
    /// A Boolean query parameter that makes the request's effect irreversible. With it, the request
    /// needs the scope `admin`.
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
            try authorizer?.check(request, needs: RouteAccess(scope: .admin, list: access.list))
        }
    }
}
