import MicroHTTP
import ReorderAuth
import Testing
import WebPage

@testable import ReorderAPI

/// A valid request for each route. Those that need a body have it here.
struct RouteCalls {
    var list: String
    /// Two of its tasks.
    var task: String
    var other: String
    /// One of its sections.
    var section: String
    /// A live drag.
    var drag: String
    /// A token that was made over HTTP.
    var token = "none"
    /// A link to the list.
    var share = "none"
    var webhook: String

    func call(_ route: Route) -> APIRequest {
        let place = #"{"task":"\#(task)","after":"\#(other)"}"#
        let bodies: [String: String] = [
            "POST /lists": #"{"id":"\#(list)","title":"x"}"#,
            "POST /imports": #"{"id":"\#(list)","title":"x"}"#,
            "PUT /lists/:id": #"{"title":"x"}"#,
            "PATCH /lists/:id": #"{"title":"x"}"#,
            "POST /lists/:id/sections": #"{"title":"x"}"#,
            "PATCH /lists/:id/sections/:sid": #"{"title":"x"}"#,
            "POST /lists/:id/sections/:sid/move": #"{"position":0}"#,
            "POST /lists/:id/tasks": #"{"title":"x"}"#,
            "POST /lists/:id/move": place,
            "POST /lists/:id/sort": #"{"by":"title"}"#,
            "POST /lists/:id/reverse": "{}",
            "POST /lists/:id/remove-done": "{}",
            "POST /lists/:id/batch": #"{"ops":[{"op":"delete","task":"\#(task)"}]}"#,
            "PATCH /tasks/:id": #"{"title":"x"}"#,
            "POST /lists/:id/copy": #"{"id":"mine-copy"}"#,
            "POST /task/": #"{"id":"\#(task)","list":"\#(list)","title":"x"}"#,
            "PUT /task/:id": #"{"title":"x"}"#,
            "POST /lists/:id/undo": #"{"version":2}"#,
            "POST /lists/:id/drags": #"{"task":"\#(task)"}"#,
            "PATCH /drags/:id": #"{"position":0}"#,
            "POST /tokens": #"{"name":"x","grants":[{"scope":"read","lists":["mine-x"]}]}"#,
            "POST /lists/:id/shares": #"{"scope":"read"}"#,
            "POST /webhooks": #"{"url":"https://example.org/","lists":["\#(list)"]}"#,
            "PATCH /webhooks/:id": "{}",
            "POST /webhooks/:id/skip": #"{"event":"p1"}"#,
        ]
        let body = bodies["\(route.method) \(route.pattern)"] ?? ""
        let id =
            switch route.access?.list {
            case .containingTask, .containingSource, .inBodyOrContainingTask: task
            case .ofDrag: drag
            case .some(.none) where route.pattern.hasPrefix("/tokens"): token
            case RouteAccess.List.none?: webhook
            default: list
            }
        let (build, file) =
            route.pattern.hasPrefix("/client")
            ? (WebBundle.client.build, "client.js") : (WebBundle.page.build, "app.js")
        let target = route.pattern
            .replacing("/:id", with: "/\(id)").replacing("/:sid", with: "/\(section)")
            .replacing("/:share", with: "/\(share)")
            .replacing("/:build/:file", with: "/\(build)/\(file)")
            .replacing("/1/:file", with: "/1/reorderd.js")
        var call = APIRequest(method: route.method.rawValue, target: target, body: Array(body.utf8))
        if !body.isEmpty { call.fields = [("Content-Type", "application/json")] }
        if route == Route(method: .put, pattern: "/lists/:id") {
            call.fields.append(("If-Match", "*"))
        }
        return call
    }
}

extension Route {
    /// The required access; nil if the API has no such route.
    var access: RouteAccess? {
        ReorderAPI.endpoints.first { $0.method == method && $0.pattern == pattern }?.access
    }
}

extension RouteCalls {
    /// Starts the drag with these credentials, because a drag belongs to the client that started it.
    mutating func startDrag(with field: [String: String], _ server: ServerUnderTest) throws {
        let body = #"{"task":"\#(task)"}"#
        let lifted = try server.client.post("/lists/\(list)/drags", body, field)
        drag = try #require(lifted.json["drag"]?.string, "\(lifted.text)")
    }
}
