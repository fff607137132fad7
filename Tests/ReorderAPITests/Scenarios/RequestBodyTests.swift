import Testing

@Suite struct RequestBodyTests {
    /// Every request with a body, as in the contract, with members that it accepts.
    private static let requests: [(method: String, path: String, members: String)] = [
        ("POST", "/lists", #""title":"x""#),
        ("PUT", "/lists/{list}", #""title":"x""#),
        ("PATCH", "/lists/{list}", #""title":"x""#),
        ("POST", "/lists/{list}/sections", #""title":"x""#),
        ("PATCH", "/lists/{list}/sections/{section}", #""title":"x""#),
        ("POST", "/lists/{list}/sections/{section}/move", #""position":0"#),
        ("POST", "/lists/{list}/tasks", #""title":"x""#),
        ("POST", "/lists/{list}/move", #""task":"b","section":null"#),
        ("POST", "/lists/{list}/sort", #""by":"title""#),
        ("POST", "/lists/{list}/reverse", #""recursive":true"#),
        ("POST", "/lists/{list}/remove-done", #""section":null"#),
        ("POST", "/lists/{list}/undo", #""version":1"#),
        ("POST", "/lists/{list}/drags", #""task":"b""#),
        ("PATCH", "/drags/{drag}", #""position":0"#),
        ("POST", "/drags/{drag}/drop", #""position":0"#),
        ("POST", "/lists/{list}/batch", #""ops":[{"op":"delete","task":"a"}]"#),
        ("PATCH", "/tasks/{task}", #""title":"x""#),
        ("POST", "/tasks/{task}/collapse", #""collapsed":true"#),
        ("POST", "/tasks/{task}/copy", #""position":0"#),
        ("POST", "/lists/{list}/copy", #""title":"x""#),
        ("POST", "/task/", #""id":"a","title":"x""#),
        ("PUT", "/task/{task}", #""title":"x""#),
        ("POST", "/lists/{list}/shares", #""scope":"read""#),
        ("POST", "/tokens", #""name":"x","grants":[{"scope":"read"}]"#),
        ("POST", "/webhooks", #""url":"https://example.org""#),
        ("PATCH", "/webhooks/{webhook}", #""url":"https://example.org""#),
        (
            "POST", "/webhooks/{webhook}/rotate",
            #""secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw""#
        ),
        ("POST", "/webhooks/{webhook}/skip", #""event":"p1""#),
    ]
    /// The same for a list `l` with a task `a`, and for a list that does not exist.
    private static let targets: [(method: String, path: String, members: String)] =
        requests.map { method, path, members in
            let ids = ["list": "l", "task": "a", "section": "s", "drag": "d", "webhook": "w"]
            let path = path.replacing(/{(\w+)}/) { ids[String($0.1)] ?? "" }
            return (method, path, members)
        } + [("PUT", "/lists/new", #""title":"x""#)]

    @Test func noRequestOfTheContractIsLeftOut() throws {
        let found = try Contract.embedded.get().operations
            .filter { $0.object["requestBody"]?["content"]?["application/json"] != nil }.map {
                "\($0.method) \($0.path)"
            }
        #expect(Set(found) == Set(Self.requests.map { "\($0.method) \($0.path)" }))
    }

    /// Those that need no body, with the outcome of one after the other.
    private static let withoutBody: [(path: String, changed: JSONValue?)] = [
        ("/lists/l/reverse", true), ("/lists/l/undo", true), ("/tasks/a/collapse", true),
        ("/lists/l/remove-done", false), ("/lists/l/copy", true), ("/tasks/a/copy", true),
        ("/drags/DRAG/drop", true), ("/event-tickets", nil), ("/lists/l/restore", true),
    ]

    @Test(arguments: Setup.memory) func anEmptyObjectIsTheSameAsNoBody(setup: Setup) throws {
        let optional = try Contract.embedded.get().operations.filter { operation in
            operation.object["requestBody"].map { $0["required"] != true } ?? false
        }
        // Not those whose body has no members, but `rotate` of webhooks.
        #expect(optional.count == Self.withoutBody.count - 2 + 1)
        for body in [nil, "{}", " { } "] {
            try withServer(setup) { server throws in
                try server.make(["l": draft(["a", "b<a", "c"])])
                let lifted = try server.client.post("/lists/l/drags", #"{"task":"c"}"#)
                let drag = "/drags/\(lifted.json["drag"]?.string ?? "")"
                let place = try server.client.send("PATCH", drag, #"{"before":"a"}"#)
                #expect(place.status == 200)
                for (path, changed) in Self.withoutBody {
                    if path.hasSuffix("restore") { _ = try server.client.delete("/lists/l") }
                    let path = path.replacing("/drags/DRAG", with: drag)
                    let answer = try server.client.send("POST", path, body)
                    #expect(answer.status < 300, "\(path) \(answer.text)")
                    #expect(answer.json["changed"] == changed, "\(path)")
                }
            }
        }
    }

    private static func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    /// Texts with the request's members at MEMBERS, and the pointer to the fault; nil if it depends on the request.
    /// `JSONSyntaxTests` has the other faults of texts.
    private static let malformed: [(pointer: String?, body: String)] = [
        ("", " "), (nil, "{MEMBERS"), ("", "{MEMBERS}{}"), (nil, "{MEMBERS,MEMBERS}"),
        ("/x/0/y", #"{MEMBERS,"x":[{"y":1,"y":1}]}"#), ("/x", "{MEMBERS,\"x\":\"a\0b\"}"),
        (nil, #"{MEMBERS,"x":\#(nested(18))}"#),
    ]

    @Test(arguments: Setup.once)
    func invalidJSONIsRefusedByEveryRequest(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c@s"])])
            for (method, path, members) in Self.targets {
                for (pointer, text) in Self.malformed {
                    let body = text.replacing("MEMBERS", with: members)
                    let answer = try server.refused(
                        400, "invalid_json", method, path, body, ["If-Match": "*"],
                        keeping: ["l", "new"])
                    let found = try #require(answer.json["pointer"]?.string)
                    #expect(found == pointer ?? found, "\(method) \(path) \(answer.text)")
                }
                var latin = APIRequest(method: method, target: path)
                latin.body = Array("{\(members),\"x\":\"".utf8) + [0xE9] + Array(#""}"#.utf8)
                let answer = try server.client.send(latin)
                #expect(answer.code == "invalid_json" && answer.json["pointer"] == "/x")
            }
            let optional = ["collapse", "copy", "drop", "reverse", "remove-done", "rotate", "undo"]
            for (method, path, _) in Self.targets
            where !optional.contains(where: path.hasSuffix) {
                try server.refused(400, "invalid_json", method, path, "", keeping: ["l", "new"])
            }
        }
    }

    @Test(arguments: Setup.once)
    func otherMembersAndValuesAreRefusedByEveryRequest(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c@s"])])
            for (method, path, members) in Self.targets {
                for (pointer, text) in [
                    ("/x", #"{MEMBERS,"x":\#(Self.nested(17))}"#),
                    ("/x\n", #"{MEMBERS,"x\n":1}"#), ("", "[]"), ("", "null"),
                ] {
                    let answer = try server.refused(
                        422, "invalid_body", method, path,
                        text.replacing("MEMBERS", with: members), ["If-Match": "*"],
                        keeping: ["l", "new"])
                    #expect(answer.json["pointer"]?.string == pointer, "\(method) \(path) \(text)")
                }
                let hasPosition = members.contains("position")
                guard
                    hasPosition || path.hasSuffix("/tasks") || method == "PUT" && path == "/task/a"
                else { continue }
                for value in ["-1", "0.5", "9223372036854775808", #""x""#, "null"] {
                    let others = hasPosition ? "" : "\(members),"
                    let answer = try server.refused(
                        422, "invalid_body", method, path, #"{\#(others)"position":\#(value)}"#,
                        ["If-Match": "*"])
                    #expect(answer.json["pointer"] == "/position", "\(method) \(path) \(value)")
                }
            }
        }
    }

    @Test(arguments: Setup.once)
    func requestsThatNeedNoBodyRefuseMembers(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"]), "binned": draft(["b"])])
            #expect(try server.client.delete("/lists/binned").status == 204)
            for (path, status) in [("/event-tickets", 201), ("/lists/binned/restore", 201)] {
                for (pointer, body) in [("/x", #"{"x":1}"#), ("", "[]")] {
                    let answer = try server.refused(422, "invalid_body", "POST", path, body)
                    #expect(answer.json["pointer"]?.string == pointer, "\(path) \(body)")
                }
                try server.refused(400, "invalid_json", "POST", path, "{")
                #expect(try server.client.post(path, "{}").status == status, "\(path)")
            }
        }
    }

    @Test(arguments: Setup.once)
    func anInvalidDocumentIsRefusedWithAPointer(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for (pointer, members) in [
                ("", #""tasks":[]"#), ("/title", #""title":7"#), ("/title", #""title":null"#),
                ("/id", #""title":"t","id":"other""#), ("/id", #""title":"t","id":"a b""#),
                ("/id", #""title":"t","id":"""#), ("/id", #""title":"t","id":null"#),
                ("/elementsOffset", #""title":"t","elementsOffset":-1"#),
                ("/elementsOffset", #""title":"t","elementsOffset":1.5"#),
                ("/collapseSubElements", #""title":"t","collapseSubElements":1"#),
                ("/moves", #""title":"t","moves":"nowhere""#),
                ("/sections", #""title":"t","sections":{}"#),
                ("/sections/0", #""title":"t","sections":[1]"#),
                ("/sections/0", #""title":"t","sections":[{"id":"s"}]"#),
                ("/sections/0/id", #""title":"t","sections":[{"id":"é","title":""}]"#),
                (
                    "/sections/1/id",
                    #""title":"t","sections":[{"id":"s","title":""},{"id":"s","title":""}]"#
                ),
                ("/tasks", #""title":"t","tasks":null"#),
                ("/tasks/0", #""title":"t","tasks":[{"id":"x"}]"#),
                ("/tasks/0/id", #""title":"t","tasks":[{"id":"é","title":""}]"#),
                (
                    "/tasks/1/id",
                    #""title":"t","tasks":[{"id":"x","title":""},{"id":"x","title":""}]"#
                ),
                ("/tasks/0/parent", #""title":"t","tasks":[{"id":"x","title":"","parent":"x"}]"#),
                (
                    "/tasks/0/parent",
                    #""title":"t","tasks":[{"title":"","parent":"y"},{"id":"y","title":""}]"#
                ),
                ("/tasks/0/parent", #""title":"t","tasks":[{"title":"","parent":1}]"#),
                ("/tasks/0/section", #""title":"t","tasks":[{"title":"","section":"s"}]"#),
                (
                    "/tasks/1/section",
                    #""title":"t","sections":[{"id":"s","title":""}],"tasks":[{"id":"x","title":""},{"title":"","parent":"x","section":"s"}]"#
                ),
                ("/tasks/0/done", #""title":"t","tasks":[{"title":"","done":"no"}]"#),
                ("/tasks/0/locked", #""title":"t","tasks":[{"title":"","locked":null}]"#),
            ] {
                let answer = try server.refused(
                    422, "invalid_body", "PUT", "/lists/l", "{\(members)}", ["If-Match": "*"])
                #expect(answer.json["pointer"]?.string == pointer, "\(members) \(answer.text)")
            }
            for (pointer, body) in [
                ("", #"{"id":"x"}"#), ("/id", #"{"id":"/","title":"x"}"#),
                ("/row", #"{"title":"x","row":0}"#), ("/position", #"{"title":"x","position":-1}"#),
            ] {
                let answer = try server.refused(
                    422, "invalid_body", "POST", "/lists/l/tasks", body)
                #expect(answer.json["pointer"]?.string == pointer)
            }
            for (pointer, body) in [
                ("/collapsed", #"{"collapsed":1}"#), ("", "true"),
                ("/collapsed", #"{"collapsed":null}"#),
            ] {
                let answer = try server.refused(
                    422, "invalid_body", "POST", "/tasks/a/collapse", body)
                #expect(answer.json["pointer"]?.string == pointer)
            }
        }
    }

    /// Neither a document nor a list in lines.
    @Test(arguments: Setup.once, ["application/json", "application/x-ndjson"])
    func aBodyHasNoContentCoding(setup: Setup, type: String) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for (method, path, members) in Self.targets {
                let refusal = try server.refused(
                    415, "unsupported_media_type", method, path, "{\(members)}",
                    ["Content-Type": type, "Content-Encoding": "gzip", "If-Match": "*"],
                    keeping: ["l", "new"])
                #expect(refusal.json["detail"] == "Send the body without Content-Encoding.")
                #expect(refusal["Accept-Encoding"] == "identity")
            }
            try server.refused(
                415, "unsupported_media_type", "PUT", "/lists/new", #"{"title":"x"}"#,
                ["Content-Type": type, "Content-Encoding": "identity, br"], keeping: ["new"])
            let plain = try server.client.put(
                "/lists/plain", #"{"title":"x"}"#,
                ["Content-Type": type, "Content-Encoding": "identity"])
            #expect(plain.status == 201)
        }
    }

    @Test(arguments: Setup.memory)
    func aBodyIsJSONInUTF8(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for (method, path, _) in Self.targets {
                try server.refused(
                    415, "unsupported_media_type", method, path, #"{"title":"x"}"#,
                    ["Content-Type": "text/plain", "If-Match": "*"], keeping: ["l", "new"])
            }
            for type in [
                "application/x-www-form-urlencoded", "application/jsonx",
                "application/json; charset=latin1", "application/json;charset=\"utf-16\"", "",
                "json", "application/problem+json", ";", "*/*",
            ] {
                try server.refused(
                    415, "unsupported_media_type", "PUT", "/lists/new", #"{"title":"x"}"#,
                    ["Content-Type": type], keeping: ["new"])
            }
            for (index, type) in [
                "application/json", "APPLICATION/JSON", "application/json;charset=utf-8",
                "application/json ; Charset=\"UTF-8\"", "application/json; v=1",
            ].enumerated() {
                let answer = try server.client.put(
                    "/lists/t\(index)", #"{"title":"x"}"#, ["Content-Type": type])
                #expect(answer.status == 201, "\(type)")
            }
            var untyped = APIRequest(method: "PUT", target: "/lists/untyped")
            untyped.body = Array(#"{"title":"x"}"#.utf8)
            #expect(try server.client.send(untyped).status == 201)
        }
    }
}
