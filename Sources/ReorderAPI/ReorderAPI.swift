import Logging
import MicroHTTP
import ReorderAccess
import ReorderJSON
import ReorderService

/// The HTTP contract: which request does what, and how it is answered.
package struct ReorderAPI: Sendable {
    let service: ListService
    let feeds = SharedObjects<ListFeed>()
    let streams: StreamPermits
    let tags: EntityTags
    /// Who may do what; `nil`: everyone may do everything.
    let access: AccessGate?

    /// - Parameters:
    ///   - streamLimit: how many event streams may be open at once.
    ///   - access: who may do what; `nil`: nobody is asked who he is.
    package init(service: ListService, streamLimit: Int = 8_000, access: AccessControl? = nil) {
        self.service = service
        tags = EntityTags(epoch: service.epoch)
        streams = StreamPermits(limit: streamLimit)
        self.access = access.map { AccessGate(control: $0) }
        // What is open to those who lost their right ends now, not with the next event.
        access?.onChange { [feeds] in for feed in feeds.all { feed.topic.wake() } }
    }

    /// All routes, each with the query parameters that it takes. `openapi.yaml` says the same, and tests
    /// compare them.
    ///
    /// - Parameters:
    ///   - origins: whose web pages may use the server; `nil`: only its own.
    ///   - isLocal: whether only this machine reaches the server, which counts on it: then it keeps
    ///     web pages away that could have a browser send requests to it.
    package func makeRouter(
        origins: CrossOrigin.Origins? = nil, isLocal: Bool = false
    ) -> Router {
        var router = Router(onFailure: { failure, _ in Problem(failure).response() })
        router.crossOrigin = origins.map {
            CrossOrigin(
                $0, allowedHeaders: Self.requestHeaders, exposedHeaders: Self.responseHeaders)
        }

        router.gate = gate(isLocal ? LocalGuard(origins: origins) : nil)
        router.on(.get, "/lists", respond(getLists, query: "limit", "cursor"))
        router.on(.post, "/lists", respond(postList))
        router.on(.get, "/lists/:id", respond(getList, query: "visible", "offset", "limit"))
        router.onReady("/lists/:id", keptList)
        router.on(.put, "/lists/:id", respond(putList))
        router.on(.patch, "/lists/:id", respond(patchList))
        router.on(.delete, "/lists/:id", respond(deleteList))

        router.on(.post, "/lists/:id/sections", respond(postSection))
        router.on(.patch, "/lists/:id/sections/:sid", respond(patchSection))
        router.on(.delete, "/lists/:id/sections/:sid", respond(deleteSection, query: "tasks"))
        router.on(.post, "/lists/:id/sections/:sid/move", respond(postSectionMove))

        router.on(.post, "/lists/:id/tasks", respond(postTask))
        router.on(.post, "/lists/:id/move", respond(postMove, query: "dryRun"))
        router.on(.post, "/lists/:id/batch", respond(postBatch))
        router.on(.get, "/tasks/:id", respond(getTask))
        router.on(.patch, "/tasks/:id", respond(patchTask))
        router.on(.delete, "/tasks/:id", respond(deleteTask))
        router.on(.post, "/tasks/:id/collapse", respond(postCollapse))

        router.on(.post, "/task/", respond(postElement))
        router.on(.put, "/task/:id", respond(putElement))

        router.on(.post, "/lists/:id/undo", respond(postUndo))

        router.on(.post, "/lists/:id/drags", respond(postDrag))
        router.on(.patch, "/drags/:id", respond(patchDrag))
        router.on(.post, "/drags/:id/drop", respond(postDrop))
        router.on(.delete, "/drags/:id", respond(deleteDrag))

        router.on(.get, "/lists/:id/changes", respond(getChanges, query: "since", "limit", "wait"))
        router.on(.get, "/lists/:id/events", respond(getEvents, query: "since"))

        router.on(.get, "/healthz", respond(getHealth))
        router.on(.get, "/readyz", respond(getReadiness))
        router.on(.get, "/metrics", respond(getMetrics(router.tally)))
        router.on(.get, "/openapi.yaml", respond(getContract))
        router.on(.get, "/", respond(getPage, ignoringQuery: true))
        router.on(.get, "/web/:build/:file", respond(getPageFile))
        return router
    }

    /// The header fields that mean something here, in a request and in an answer, beside those that any
    /// web page may send and read.
    private static let requestHeaders = [
        "Authorization", "Client-Id", "Content-Type", "Idempotency-Key", "If-Match",
        "If-None-Match", "Last-Event-ID", "X-Request-Id",
    ]
    private static let responseHeaders = [
        "Allow", "ETag", "Idempotent-Replay", "Link", "Location", "RateLimit", "RateLimit-Policy",
        "Retry-After", "WWW-Authenticate", "X-Request-Id",
    ]

    /// How a handler answers: once, now or later. The answer is rendered by the thread that sends it.
    typealias Answer =
        @Sendable (@autoclosure @escaping @Sendable () -> Result<Response, Problem>) -> Void

    /// - Parameters:
    ///   - parameters: the query parameters that the handler takes; a request with another is refused.
    ///   - ignoringQuery: whether any query is taken and ignored. People share links to a page, and other
    ///     programs add parameters to them.
    private func respond(
        _ handler: @escaping @Sendable (Request, @escaping Answer) throws(Problem) -> Void,
        query parameters: String..., ignoringQuery: Bool = false
    ) -> Router.Handler {
        respond(parameters, ignoringQuery) { (request, _, answer) throws(Problem) in
            try handler(request, answer)
        }
    }

    /// For a handler that may let its answer wait, too.
    private func respond(
        _ handler:
            @escaping @Sendable (Request, Responder, @escaping Answer) throws(Problem) -> Void,
        query parameters: String...
    ) -> Router.Handler {
        respond(parameters, false, handler)
    }

    private func respond(
        _ parameters: [String], _ ignoringQuery: Bool,
        _ handler:
            @escaping @Sendable (Request, Responder, @escaping Answer) throws(Problem) -> Void
    ) -> Router.Handler {
        let handle = { @Sendable [access, tags] (request: Request, responder: Responder) in
            do throws(Problem) {
                if let access { try access.check(request) }
                try request.checkFields()
                if !ignoringQuery { try request.checkQuery(parameters) }
                try handler(request, responder) { result in
                    responder.respond(Self.response(to: result(), tags))
                }
            } catch {
                responder.respond(error.response(tags))
            }
        }
        return { [workers = service.workers, tags] request, responder in
            // To read a large body takes longer than an event loop's other requests may wait.
            let size = WorkerThreads.Size(bytes: request.body.count)
            guard size != .small else { return handle(request, responder) }
            // The body is counted among those that the server holds.
            if !workers.run(size, { handle(request, responder) }) {
                let problem = Problem(
                    .unavailable, "The server has as many large requests waiting as it takes.")
                responder.respond(problem.response(tags))
            }
        }
    }

    private func gate(_ local: LocalGuard?) -> Gate? {
        guard local != nil || access != nil else { return nil }
        return { [access] request in
            if let problem = local?.refusal(of: request) { return problem.response() }
            access?.recognise(&request)
            return nil
        }
    }

    static func response(
        to result: Result<Response, Problem>, _ tags: EntityTags
    ) -> Response {
        switch result {
        case .success(let response): response
        case .failure(let problem): problem.response(tags)
        }
    }
}

extension Request {
    /// The value of a route's parameter. A route that asks for one it does not have finds nothing.
    func parameter(_ name: String) -> String { Identifier.lookup(pathParameters[name] ?? "") }
}
