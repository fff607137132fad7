import Testing

/// Ids are compared byte by byte. Unicode normalization, and so Swift's `==`, treats the kelvin
/// sign as a "K".
@Suite struct IdBytesTests {
    private static let kelvin = "\u{212A}"
    private static let escaped = "%E2%84%AA"

    @Test(arguments: Setup.once)
    func aSimilarIdInABodyMatchesNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "K": draft(["K", "a", "b@K"]), "m": draft(["c"]),
            ])
            let move = "/lists/K/move"
            for (code, status, method, path, body) in [
                ("task_not_found", 404, "POST", move, #"{"task":"K","position":1}"#),
                ("task_not_found", 404, "POST", move, #"{"tasks":["a","K"],"position":1}"#),
                ("anchor_gone", 409, "POST", move, #"{"task":"a","after":"K"}"#),
                ("anchor_gone", 409, "POST", move, #"{"task":"a","before":"K"}"#),
                ("anchor_gone", 409, "POST", move, #"{"task":"a","parent":"K"}"#),
                ("anchor_gone", 409, "POST", move, #"{"task":"a","section":"K"}"#),
                ("list_not_found", 404, "POST", "/lists/m/move", #"{"task":"c","toList":"K"}"#),
                ("anchor_gone", 409, "POST", "/lists/K/tasks", #"{"title":"n","section":"K"}"#),
                ("anchor_gone", 409, "POST", "/lists/K/tasks", #"{"title":"n","parent":"K"}"#),
                ("task_not_found", 404, "POST", "/lists/K/drags", #"{"task":"K"}"#),
                ("task_not_found", 404, "POST", "/lists/K/drags", #"{"tasks":["K"]}"#),
                ("anchor_gone", 409, "PUT", "/task/a", #"{"subtask":"K"}"#),
                ("list_not_found", 404, "PUT", "/task/n", #"{"list":"K","title":"n"}"#),
                ("invalid_body", 422, "PUT", "/task/a", #"{"id":"K"}"#),
                ("invalid_body", 422, "POST", "/task/", #"{"id":"K","list":"m","title":"n"}"#),
                ("invalid_body", 422, "POST", "/lists", #"{"id":"K","title":""}"#),
                ("invalid_body", 422, "POST", "/lists/m/tasks", #"{"id":"K","title":""}"#),
                ("invalid_body", 422, "POST", "/lists/m/sections", #"{"id":"K","title":""}"#),
                (
                    "invalid_body", 422, "POST", "/lists",
                    #"{"title":"","sections":[{"id":"L","title":""}],"tasks":[{"title":"","section":"K"}]}"#
                ),
            ] as [(String, Int, String, String, String)] {
                for kelvin in [Self.kelvin, "\\u212A"] {
                    try server.refused(
                        status, code, method, path, body.replacing("\"K\"", with: "\"\(kelvin)\""),
                        keeping: ["K", "m"])
                }
            }
            // A section or parent in the same document.
            for tasks in [#"{"title":"","section":"K"}"#, #"{"title":"","parent":"K"}"#] {
                let document = """
                    {"title":"","sections":[{"id":"K","title":""}],"tasks":[{"id":"K2","title":""},
                    \(tasks.replacing("\"K\"", with: "\"\(Self.kelvin)\""))]}
                    """
                try server.refused(
                    422, "invalid_body", "POST", "/lists", document, keeping: ["K", "m"])
            }
        }
    }

    /// A drag exists on one server only.
    @Test(arguments: Setup.oneServer)
    func aSimilarIdInADragMatchesNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["K": draft(["a", "b@K"])])
            let drag = try server.client.post("/lists/K/drags", #"{"task":"a"}"#).json["drag"]
            let held = "/drags/\(drag?.string ?? "")"
            for (code, status, member) in [
                ("anchor_gone", 409, "section"), ("list_not_found", 404, "toList"),
            ] {
                let target = "{\"\(member)\":\"\(Self.kelvin)\"}"
                try server.refused(status, code, "PATCH", held, target, keeping: ["K"])
                try server.refused(status, code, "POST", "\(held)/drop", target, keeping: ["K"])
            }
        }
    }

    @Test(arguments: Setup.once)
    func aSimilarIdInAPathMatchesNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["K": draft(["K", "a", "b@K"])])
            let id = Self.escaped
            for (code, method, path, body) in [
                ("list_not_found", "GET", "/lists/\(id)", nil),
                ("list_not_found", "GET", "/lists/\(id)/changes", nil),
                ("list_not_found", "DELETE", "/lists/\(id)", nil),
                ("list_not_found", "POST", "/lists/\(id)/tasks", #"{"title":"n"}"#),
                ("section_not_found", "DELETE", "/lists/K/sections/\(id)", nil),
                ("section_not_found", "PATCH", "/lists/K/sections/\(id)", #"{"title":"t"}"#),
                ("section_not_found", "POST", "/lists/K/sections/\(id)/move", #"{"position":0}"#),
                ("task_not_found", "GET", "/tasks/\(id)", nil),
                ("task_not_found", "PATCH", "/tasks/\(id)", #"{"done":true}"#),
                ("task_not_found", "DELETE", "/tasks/\(id)", nil),
                ("task_not_found", "POST", "/tasks/\(id)/collapse", nil),
                ("drag_not_found", "DELETE", "/drags/\(id)", nil),
            ] as [(String, String, String, String?)] {
                try server.refused(404, code, method, path, body, keeping: ["K"])
            }
        }
    }

    @Test(arguments: Setup.once)
    func aSimilarIdInAQueryIsRefusedAndInClientIdKept(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["K": draft(["K", "a"])])
            let kelvin = Self.kelvin
            for target in [
                "/lists?cursor=\(Self.escaped)", "/lists/K/changes?since=\(Self.escaped)",
                "/lists/K?\(Self.escaped)=1",
            ] {
                try server.refused(422, "invalid_query", "GET", target, keeping: ["K"])
            }
            try server.refused(
                400, "bad_request", "DELETE", "/tasks/a", nil, ["Idempotency-Key": kelvin],
                keeping: ["K"])
            try server.refused(
                400, "bad_request", "GET", "/lists/K/events", nil, ["Last-Event-ID": kelvin],
                keeping: ["K"])
            try server.refused(
                412, "version_mismatch", "DELETE", "/tasks/a", nil,
                ["If-Match": "\"\(kelvin)\""], keeping: ["K"])
            // `Client-Id` is arbitrary text. It is not compared, and is returned byte for byte.
            _ = try server.client.delete("/tasks/a", ["Client-Id": kelvin])
            let change = try server.client.get("/lists/K/changes?since=\(versionToken(1))").json[
                "changes"]?[0]
            #expect(Array((change?["client"]?.string ?? "").utf8) == Array(kelvin.utf8))
        }
    }
}
