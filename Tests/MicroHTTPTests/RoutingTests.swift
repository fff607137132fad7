import RawHTTP
import Testing

@testable import MicroHTTP

@Suite struct RoutingTests {
    /// The echo router's response to a request in process.
    private func answer(_ method: HTTPMethod, _ target: String) -> Response {
        Router.echo().respond(to: Request(method: method, target: target))
    }

    private func text(_ method: HTTPMethod, _ target: String) -> String {
        String(decoding: answer(method, target).body, as: UTF8.self)
    }

    @Test func parametersAreDecodedSegmentBySegment() {
        #expect(text(.get, "/lists/a%20b") == "list a b")
        #expect(text(.get, "/lists/%C3%A9?x=1") == "list é")
        #expect(text(.post, "/lists/x%2Fy/move") == "move x/y")
        #expect(text(.get, "/l%69sts/x") == "list x")
    }

    @Test func literalSegmentsTakePrecedenceOverParameters() {
        #expect(text(.get, "/lists/special") == "special")
        #expect(text(.post, "/lists/special/move") == "move special")
    }

    @Test(arguments: [
        "/lists", "/lists/", "/lists/a//", "/lists//move", "///", "/lists/a%2Fmove/x",
        "//example.org/",
    ])
    func otherPathsAreNotFound(target: String) {
        #expect(answer(.get, target).status == 404)
    }

    @Test(arguments: [
        ("/lists/a/", "/lists/a"), ("/lists/%61/?x=%2F/", "/lists/%61?x=%2F/"), ("/task", "/task/"),
        ("/task?x", "/task/?x"), ("//", "/"),
    ])
    func aWrongTrailingSlashIsRedirected(target: String, location: String) {
        let answer = answer(.get, target)
        #expect(answer.status == 308)
        #expect(answer.headers["Location"] == location)
    }

    @Test(arguments: [
        "/lists/%zz", "/lists/%", "/lists/%4", "/lists/%00", "/lists/a%00b", "/lists/%0a",
        "/lists/%7F", "/lists/%ff", "/none/%zz",
    ])
    func malformedPathsAreRefused(target: String) {
        #expect(answer(.get, target).status == 400)
    }

    @Test func trailingSlashIsPartOfThePattern() {
        #expect(text(.post, "/task/") == "task with a slash")
    }

    @Test func aWrongMethodGetsTheAllowedMethods() {
        let refused = answer(.delete, "/lists/a")
        #expect(refused.status == 405)
        #expect(refused.headers["allow"] == "GET, HEAD, OPTIONS, PUT")
        #expect(answer(.get, "/task/").headers["Allow"] == "OPTIONS, POST")
        let options = answer(.options, "/lists/a")
        #expect(options.status == 204)
        #expect(options.headers["Allow"] == "GET, HEAD, OPTIONS, PUT")
        #expect(answer(.options, "/none").status == 404)
    }

    @Test func headUsesTheHandlerOfGet() {
        #expect(text(.head, "/lists/a") == "list a")
        #expect(answer(.head, "/task/").status == 405)
    }

    @Test func cachedResponsesTakePrecedenceOverRoutes() throws {
        let ready = try #require(PreparedResponse(.text("ready")))
        let router = Router.echo()
        router.onCached("/lists/:id") { $0.plainSegment(after: "/lists/") == "a" ? ready : nil }
        func text(_ method: HTTPMethod, _ target: String) -> String {
            let response = router.respond(to: Request(method: method, target: target))
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(text(.get, "/lists/a") == "ready")
        for target in ["/lists/b", "/lists/%61", "/lists/a?x"] {
            #expect(text(.get, target).hasPrefix("list "), "\(target)")
        }
        #expect(text(.head, "/lists/a") == "list a")
        #expect(text(.put, "/lists/a") == "put 0")
        #expect(text(.post, "/lists/a/move") == "move a")
    }

    @Test func aCachedResponseWithOtherFieldsSharesTheBody() throws {
        let ready = try #require(PreparedResponse(.text("ready")))
        let router = Router.echo()
        router.onCached("/lists/:id") { _ in ready }
        router.crossOrigin = CrossOrigin(.any, allowedHeaders: [], exposedHeaders: [])
        let response = router.respond(to: Request(method: .get, target: "/lists/a"))
        #expect(response.prepared === ready)
        #expect(response.headers["Access-Control-Allow-Origin"] == "*")
        #expect(ready.headers["Access-Control-Allow-Origin"] == nil)
        try withServer(router) { port, _ in
            let answer = try RawClient(port: port).get("/lists/a")
            #expect(answer.body == "ready")
            #expect(answer["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test func theRouterListsItsRoutes() {
        let routes = Router.echo().routes.map { "\($0.method) \($0.pattern)" }
        #expect(routes.contains("POST /lists/:id/move"))
        #expect(routes.count == 6)
    }

    @Test func handlersGetTheValuesOfTheirParameters() {
        let router = Router()
        router.on(.get, "/lists/:id/sections/:section") { request, responder in
            let parameters = request.pathParameters
            responder.respond(
                .text("\(parameters["id"] ?? "") \(parameters["section"] ?? "")"))
            #expect(parameters["other"] == nil)
        }
        let response = router.respond(
            to: Request(method: .get, target: "/lists/a/sections/b"))
        #expect(String(decoding: response.body, as: UTF8.self) == "a b")
    }

    @Test func failuresAreRenderedByTheApplication() {
        let router = Router { failure, request in
            Response(status: failure.status, body: Array("\(request.rawPath) \(failure)".utf8))
        }
        let response = router.respond(to: Request(method: .get, target: "/a%20b?c"))
        #expect(String(decoding: response.body, as: UTF8.self) == "/a%20b notFound")
    }
}
