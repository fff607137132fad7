import Logging
import MicroHTTP
import ReorderService

/// The HTTP contract: which request does what, and how it is answered.
package struct ReorderAPI: Sendable {
    let service: ListService

    package init(service: ListService) {
        self.service = service
    }

    /// All routes. `openapi.yaml` says the same, and a test compares them.
    package func makeRouter() -> Router {
        var router = Router(onFailure: { failure, _ in Problem(failure).response })

        router.on(.get, "/lists", respond(getLists))
        router.on(.post, "/lists", respond(postList))
        router.on(.get, "/lists/:id", respond(getList))
        router.on(.put, "/lists/:id", respond(putList))
        router.on(.patch, "/lists/:id", respond(patchList))
        router.on(.delete, "/lists/:id", respond(deleteList))

        router.on(.post, "/lists/:id/sections", respond(postSection))
        router.on(.patch, "/lists/:id/sections/:sid", respond(patchSection))
        router.on(.delete, "/lists/:id/sections/:sid", respond(deleteSection))
        router.on(.post, "/lists/:id/sections/:sid/move", respond(postSectionMove))

        router.on(.post, "/lists/:id/tasks", respond(postTask))
        router.on(.post, "/lists/:id/move", respond(postMove))
        router.on(.post, "/lists/:id/batch", respond(postBatch))
        router.on(.get, "/tasks/:id", respond(getTask))
        router.on(.patch, "/tasks/:id", respond(patchTask))
        router.on(.delete, "/tasks/:id", respond(deleteTask))
        router.on(.post, "/tasks/:id/collapse", respond(postCollapse))

        router.on(.get, "/healthz", respond(getHealth))
        router.on(.get, "/openapi.yaml", respond(getContract))
        return router
    }

    /// How a handler answers: once, now or later. The answer is rendered by the thread that sends it.
    typealias Answer =
        @Sendable (@autoclosure @escaping @Sendable () -> Result<Response, Problem>) -> Void

    private func respond(
        _ handler: @escaping @Sendable (Request, @escaping Answer) throws(Problem) -> Void
    ) -> Router.Handler {
        { request, responder in
            do throws(Problem) {
                try request.checkFields()
                try handler(request) { result in
                    responder.respond(Self.response(to: result()))
                }
            } catch {
                responder.respond(error.response)
            }
        }
    }

    private static func response(to result: Result<Response, Problem>) -> Response {
        switch result {
        case .success(let response): response
        case .failure(let problem): problem.response
        }
    }
}

extension Request {
    /// The value of a route's parameter. A route that asks for one it does not have finds nothing.
    func parameter(_ name: String) -> String { pathParameters[name] ?? "" }
}
