@testable import MicroHTTP

/// Runs `body` against a server on a free port, and stops it.
func withServer(
    threadCount: Int = 2, _ router: Router,
    configure: (inout HTTPServer.Configuration) -> Void = { _ in },
    _ body: (_ port: Int, _ server: HTTPServer) throws -> Void
) throws {
    var configuration = HTTPServer.Configuration()
    configuration.threadCount = threadCount
    configure(&configuration)
    let server = HTTPServer(configuration, router: router)
    let port = try server.start()
    defer { server.stop(graceSeconds: 0) }
    try body(port, server)
}

extension Router {
    /// A router with routes that echo their input.
    static func echo() -> Router {
        let router = Router()
        router.on(.get, "/") { $1.respond(.text("root")) }
        router.on(.get, "/lists/:id") { request, responder in
            responder.respond(.text("list \(request.pathParameters["id"] ?? "-")"))
        }
        router.on(.put, "/lists/:id") { request, responder in
            responder.respond(.text("put \(request.body.count)"))
        }
        router.on(.post, "/lists/:id/move") { request, responder in
            responder.respond(.text("move \(request.pathParameters["id"] ?? "-")"))
        }
        router.on(.get, "/lists/special") { $1.respond(.text("special")) }
        router.on(.post, "/task/") { $1.respond(.text("task with a slash")) }
        return router
    }
}

extension Response {
    static func text(_ text: String) -> Response {
        Response(status: 200, headers: ["Content-Type": "text/plain"], body: Array(text.utf8))
    }
}
