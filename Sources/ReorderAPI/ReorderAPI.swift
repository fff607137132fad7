import Logging
import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderWebhooks
import Synchronization

/// The HTTP API: routes requests to handlers and renders the responses.
package final class ReorderAPI: Sendable {
    package let service: ListService
    let webhooks: Webhooks
    let streamPermits: StreamPermits
    let tags: EntityTags
    /// Checks access; nil allows every request.
    let access: RequestAuthorizer?
    /// Counts requests.
    let requests: RequestRecorder
    /// The maximum number of tokens that are made over HTTP. Several servers at the same time can exceed
    /// it a little.
    let tokenLimit: Int
    let build: BuildInfo
    /// Whether the server is about to stop: it is not ready, but serves requests.
    private let drains = Atomic(false)

    /// - Parameters:
    ///   - webhooks: the webhooks of the service's store; nil if this server delivers no events.
    ///   - streamLimit: the maximum number of open event streams.
    ///   - access: the access rules; nil allows every request.
    ///   - tokenLimit: the maximum number of tokens that are made over HTTP.
    ///   - build: the program, for the metrics.
    ///   - former: the API whose place this one takes.
    package init(
        service: ListService, webhooks: Webhooks? = nil, streamLimit: Int = 8_000,
        access: AccessControl? = nil, tokenLimit: Int = 10_000,
        build: BuildInfo = BuildInfo(version: "", store: ""), inPlaceOf former: ReorderAPI? = nil
    ) {
        requests = former?.requests ?? RequestRecorder()
        self.service = service
        self.tokenLimit = tokenLimit
        self.webhooks = webhooks ?? Webhooks(service)
        self.build = build
        tags = EntityTags(epoch: service.epoch)
        streamPermits = StreamPermits(limit: streamLimit)
        self.access = access.map { RequestAuthorizer(control: $0) }
        // Wakes all streams, so that streams of clients that lost access end now.
        access?.onChange { [weak service] in service?.wakeWatchers() }
    }

    /// The number of open event streams.
    package var openStreamCount: Int { streamPermits.openCount }

    /// Whether requests need a token.
    package var asksForTokens: Bool { access != nil }

    /// Makes the server unready, before a stop. All other requests are served.
    package func drain() { drains.store(true, ordering: .relaxed) }

    var isDraining: Bool { drains.load(ordering: .relaxed) }

    /// An id for a resource that the client did not name.
    func makeID() -> String { UUIDv7.make(service.environment) }

    /// All routes. A test compares them with `openapi.yaml`. If the body names another list, such
    /// as a move's `toList`, the service checks access to that list with `WriteRequest.rights`.
    static let endpoints: [Endpoint] = [
        Endpoint(.get, "/lists", .read(.index), query: ["ids", "limit", "cursor"]) {
            try $0.getLists($1)
        },
        Endpoint(.post, "/lists", .withoutLinks(.write(.inBody)), acceptsLines: true) {
            try $0.postList($1)
        },
        Endpoint(
            .get, "/lists/:id", .read(.inPath), query: ["visible", "offset", "limit"]
        ) { try $0.getList($1) },
        Endpoint(.put, "/lists/:id", .withoutLinks(.write(.inPath)), acceptsLines: true) {
            try $0.putList($1)
        },
        Endpoint(.patch, "/lists/:id", .write(.inPath)) { try $0.patchList($1) },
        Endpoint(
            .delete, "/lists/:id", .withoutLinks(.write(.inPath)), query: ["permanent"],
            irreversible: "permanent"
        ) { try $0.deleteList($1) },
        Endpoint(
            .post, "/imports", .withoutLinks(.write(.inBody)),
            query: ["name", "format", "title", "list", "column", "replace", "dryRun"]
        ) { try $0.postImport($1) },
        Endpoint(.get, "/lists/:id/export", .read(.inPath), query: ["format"]) {
            try $0.getExport($1)
        },
        Endpoint(.post, "/lists/:id/restore", .withoutLinks(.write(.inPath))) {
            try $0.postRestore($1)
        },
        Endpoint(.get, "/bin", .withoutLinks(.write(.index)), query: ["limit", "cursor"]) {
            try $0.getBin($1)
        },
        Endpoint(.get, "/lists/:id/entries", .read(.inPath), query: ["limit", "cursor"]) {
            try $0.getEntries($1)
        },
        Endpoint(
            .post, "/lists/:id/copy", .withoutLinks(.write(.sourceInPath)), query: ["dryRun"]
        ) { try $0.postListCopy($1) },

        Endpoint(
            .get, "/lists/:id/sections", .read(.inPath), query: ["limit", "cursor"]
        ) { try $0.getSections($1) },
        Endpoint(.post, "/lists/:id/sections", .write(.inPath)) { try $0.postSection($1) },
        Endpoint(.patch, "/lists/:id/sections/:sid", .write(.inPath)) { try $0.patchSection($1) },
        Endpoint(
            .delete, "/lists/:id/sections/:sid", .write(.inPath), query: ["tasks"]
        ) { try $0.deleteSection($1) },
        Endpoint(
            .post, "/lists/:id/sections/:sid/move", .write(.inPath)
        ) { try $0.postSectionMove($1) },

        Endpoint(
            .get, "/lists/:id/tasks", .read(.inPath),
            query: [
                "done", "updatedSince", "q", "filter", "order", "section", "parent", "visible",
                "folds", "fields", "limit", "cursor",
            ]
        ) { try $0.getTasksOfList($1) },
        Endpoint(
            .get, "/tasks", .read(.index),
            query: [
                "ids", "done", "updatedSince", "q", "filter", "order", "fields", "limit", "cursor",
            ]
        ) { try $0.getTasks($1) },
        Endpoint(.post, "/lists/:id/tasks", .write(.inPath)) { try $0.postTask($1) },
        Endpoint(
            .post, "/lists/:id/move", .write(.inPath), query: ["dryRun", "folds"]
        ) { try $0.postMove($1) },
        Endpoint(.post, "/lists/:id/sort", .write(.inPath), query: ["dryRun"]) {
            try $0.postSort($1)
        },
        Endpoint(.post, "/lists/:id/reverse", .write(.inPath), query: ["dryRun"]) {
            try $0.postReverse($1)
        },
        Endpoint(.post, "/lists/:id/remove-done", .write(.inPath), query: ["dryRun"]) {
            try $0.postRemoveDone($1)
        },
        Endpoint(.post, "/lists/:id/batch", .write(.inPath)) { try $0.postBatch($1) },
        Endpoint(.get, "/tasks/:id", .read(.containingTask)) { try $0.getTask($1) },
        Endpoint(.patch, "/tasks/:id", .write(.containingTask)) { try $0.changeTask(.update, $1) },
        Endpoint(.delete, "/tasks/:id", .write(.containingTask)) { try $0.deleteTask($1) },
        Endpoint(
            .post, "/tasks/:id/copy", .write(.containingSource), query: ["dryRun"]
        ) { try $0.postTaskCopy($1) },
        Endpoint(
            .post, "/tasks/:id/collapse", .write(.containingTask), query: ["folds"]
        ) { try $0.changeTask(.collapse, $1) },

        Endpoint(.post, "/task/", .write(.inBodyOrContainingTask)) { try $0.postElement($1) },
        Endpoint(.put, "/task/:id", .write(.inBodyOrContainingTask)) { try $0.putElement($1) },

        Endpoint(.post, "/lists/:id/undo", .write(.inPath)) { try $0.postUndo($1) },

        Endpoint(.post, "/lists/:id/drags", .write(.inPath)) { try $0.postDrag($1) },
        Endpoint(.patch, "/drags/:id", .write(.ofDrag)) { try $0.patchDrag($1) },
        Endpoint(.post, "/drags/:id/drop", .write(.ofDrag)) { try $0.postDrop($1) },
        Endpoint(.delete, "/drags/:id", .write(.ofDrag)) { try $0.deleteDrag($1) },

        Endpoint(
            .get, "/lists/:id/changes", .read(.inPath),
            query: ["since", "limit", "wait", "order", "before"]
        ) { try $0.getChanges($1) },
        Endpoint(
            .get, "/lists/:id/events", .read(.inPath), query: ["since", "ticket"]
        ) { try $0.getEvents($1) },

        Endpoint(
            .get, "/changes", .read(.index), query: ["lists", "prefix", "since", "limit", "wait"]
        ) { try $0.getFeedChanges($1) },
        Endpoint(
            .get, "/events", .read(.index), query: ["lists", "prefix", "since", "ticket"]
        ) { try $0.getFeedEvents($1) },
        Endpoint(.post, "/event-tickets", .reader) { try $0.postEventTicket($1) },

        Endpoint(.get, "/tokens", .admin, query: ["limit", "cursor"]) { try $0.getTokens($1) },
        Endpoint(.post, "/tokens", .admin) { try $0.postToken($1) },
        Endpoint(.delete, "/tokens/:id", .admin) { try $0.deleteToken($1) },
        Endpoint(.get, "/lists/:id/shares", .withoutLinks(.write(.inPath))) {
            try $0.getShares($1)
        },
        Endpoint(.post, "/lists/:id/shares", .withoutLinks(.write(.inPath))) {
            try $0.postShare($1)
        },
        Endpoint(.delete, "/lists/:id/shares/:share", .withoutLinks(.write(.inPath))) {
            try $0.deleteShare($1)
        },
        Endpoint(.get, "/webhooks", .admin) { try $0.getWebhooks($1) },
        Endpoint(.post, "/webhooks", .admin) { try $0.postWebhook($1) },
        Endpoint(.get, "/webhooks/:id", .admin) { try $0.getWebhook($1) },
        Endpoint(.patch, "/webhooks/:id", .admin) { try $0.patchWebhook($1) },
        Endpoint(.delete, "/webhooks/:id", .admin) { try $0.deleteWebhook($1) },
        Endpoint(.post, "/webhooks/:id/test", .admin) { try $0.postWebhookTest($1) },
        Endpoint(.post, "/webhooks/:id/rotate", .admin) { try $0.postWebhookSecret($1) },
        Endpoint(.post, "/webhooks/:id/skip", .admin) { try $0.postWebhookSkip($1) },
        Endpoint(.post, "/webhooks/:id/resume", .admin) { try $0.postWebhookResume($1) },

        Endpoint(.get, "/me", .reader) { try $0.getMe($1) },
        Endpoint(.get, "/healthz", .nothing, query: nil) { try $0.getHealth($1) },
        Endpoint(.get, "/readyz", .nothing, query: nil) { try $0.getReadiness($1) },
        Endpoint(.get, "/readyz/writes", .nothing, query: nil) { try $0.getReadinessForWrites($1) },
        Endpoint(.get, "/metrics", .metrics, query: nil) { try $0.getMetrics($1) },
        Endpoint(.get, "/openapi.yaml", .nothing, query: nil) { try $0.getContract($1) },
        Endpoint(.get, "/openapi.json", .nothing, query: nil) { try $0.getContractAsJSON($1) },
        Endpoint(.get, "/", .nothing, query: nil) { try $0.getPage($1) },
        Endpoint(.get, "/web/:build/:file", .nothing, query: nil) { try $0.getPageFile($1) },
        Endpoint(.get, "/client/1.js", .nothing, query: nil) { try $0.getClient($1) },
        Endpoint(.get, "/client/1/:file", .nothing, query: nil) { try $0.getClientBundle($1) },
        Endpoint(.get, "/client/:build/:file", .nothing, query: nil) { try $0.getClientFile($1) },
    ]

    /// - Parameters:
    ///   - origins: the origins whose pages may use the server; nil allows only the server's own
    ///     pages.
    ///   - isLocal: whether only this machine can reach the server. Then the server also refuses
    ///     requests that a web page could make a browser send (`LocalGuard`).
    ///   - serving: the API that handles a new request.
    ///   - mounts: other protocols for the same lists.
    package func makeRouter(
        origins: CrossOrigin.Origins? = nil, isLocal: Bool = false, mounts: [ProtocolMount] = [],
        serving: (@Sendable () -> ReorderAPI)? = nil
    ) -> Router {
        let serving = serving ?? { self }
        let router = Router(
            recorder: requests, onFailure: { failure, _ in Problem(failure).response() })
        router.crossOrigin = origins.map {
            CrossOrigin(
                $0, allowedHeaders: Self.requestHeaders, exposedHeaders: Self.responseHeaders)
        }
        router.authenticate = authenticator(
            isLocal ? LocalGuard(origins: origins) : nil, passwordPaths: mounts.map(\.path))
        for mount in mounts {
            router.mount(mount.path, methods: mount.methods) {
                RunningRequest.handle($0, mount.handling, serving())
            }
        }
        for endpoint in Self.endpoints {
            router.on(
                endpoint.method, endpoint.pattern,
                streamedBody: endpoint.acceptsLines ? listLines(endpoint, serving) : nil
            ) { RunningRequest.handle($0, endpoint, serving()) }
        }
        router.onCached("/lists/:id") { serving().cachedListResponse($0) }
        return router
    }

    private func listLines(
        _ endpoint: Endpoint, _ serving: @escaping @Sendable () -> ReorderAPI
    ) -> StreamedBody {
        StreamedBody(mediaType: ListUpload.mediaType) { request, maximumPartBytes in
            ListUpload(request, endpoint, maximumLineBytes: maximumPartBytes, serving())
        }
    }

    /// The request and response header fields that web pages of other origins may use, in addition
    /// to those that are always allowed.
    private static let requestHeaders = [
        "Authorization", "Client-Id", "Content-Type", "Idempotency-Key", "If-Match",
        "If-None-Match", "Last-Event-ID", "Prefer", "traceparent", "tracestate", "X-Request-Id",
    ]
    private static let responseHeaders = [
        "Allow", "Content-Disposition", "ETag", "Idempotent-Replay", "Link", "Location",
        "Preference-Applied", "RateLimit",
        "RateLimit-Policy", "Retry-After", "WWW-Authenticate", "X-Request-Id",
    ]

    private func authenticator(
        _ local: LocalGuard?, passwordPaths: [String]
    ) -> Authenticator? {
        guard local != nil || access != nil else { return nil }
        return { [access] request in
            do throws(Problem) { try local?.check(request) } catch { return error.response() }
            access?.authenticate(
                &request,
                acceptsPasswords: passwordPaths.contains { request.isBelow($0.utf8) })
            return nil
        }
    }
}

extension Request {
    /// The value of a path parameter. If the route does not have it, an empty string, which is
    /// never the id of a resource.
    func parameter(_ name: String) -> String { Identifier.lookup(pathParameters[name] ?? "") }
}

/// A route: its method and path, the access that it needs, and its handler.
final class Endpoint: RequestHandling {
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

    var acceptsTickets: Bool { query?.contains("ticket") == true }

    func begin(_ request: Request, _ api: ReorderAPI) throws -> Job {
        try check(request, api.access)
        return try handler(api, request)
    }

    func response(to error: any Error, _ api: ReorderAPI) -> Response {
        let problem =
            switch error {
            case let problem as Problem: problem
            case let error as ServiceError:
                method == .get ? Problem(reading: error) : Problem(error)
            default: Problem(.internalError, "The request could not be handled.")
            }
        return problem.response(api.tags)
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
