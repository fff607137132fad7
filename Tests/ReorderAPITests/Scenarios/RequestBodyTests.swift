import Testing

@Suite struct RequestBodyTests {
    /// Every request with a body, for a list `l` with a task `a`.
    private static let targets = [
        ("POST", "/lists"), ("PUT", "/lists/new"), ("PUT", "/lists/l"),
        ("POST", "/lists/l/tasks"), ("POST", "/lists/l/move"), ("POST", "/tasks/a/collapse"),
    ]

    @Test(arguments: Setup.memory)
    func invalidJSONIsRefusedByEveryRequest(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for (method, path) in Self.targets {
                for (pointer, body) in [
                    ("", " "), ("", "{"), ("", "{}x"), ("", "{'title':1}"), ("", "nul"),
                    ("/title", #"{"title":"x","title":"y"}"#), ("/title", #"{"title":"\ud800"}"#),
                    ("/title", #"{"title":"\u0000"}"#), ("/title", "{\"title\":\"\u{1}\"}"),
                    ("/n", #"{"n":01}"#), ("/n", #"{"n":1e999}"#), ("/data/1", #"{"data":[1,}"#),
                    ("", "\u{FEFF}{}"), ("", #"{"a":1,}"#), ("", "// comment\n{}"),
                ] {
                    let answer = try server.refused(
                        400, "invalid_json", method, path, body, ["If-Match": "*"],
                        keeping: ["l", "new"])
                    #expect(answer.json["pointer"]?.string == pointer, "\(body) \(answer.text)")
                }
                var call = APIRequest(method: method, target: path)
                call.body = Array(#"{"title":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
                #expect(try server.client.send(call).code == "invalid_json")
            }
            for (method, path) in Self.targets where !path.hasSuffix("collapse") {
                try server.refused(400, "invalid_json", method, path, "", keeping: ["l", "new"])
            }
        }
    }

    @Test(arguments: Setup.memory)
    func unknownMembersAreRefusedWithAPointer(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for (method, path) in Self.targets {
                let answer = try server.refused(
                    422, "invalid_body", method, path, #"{"titel":"x"}"#, ["If-Match": "*"],
                    keeping: ["l", "new"])
                #expect(answer.json["pointer"] == "/titel")
            }
            for (pointer, body) in [
                ("/tasks/1/x", #"{"title":"t","tasks":[{"title":"a"},{"title":"b","x":1}]}"#),
                ("/sections/0/x", #"{"title":"t","sections":[{"title":"a","x":1}]}"#),
                ("/tasks/0/Title", #"{"title":"t","tasks":[{"Title":"a"}]}"#),
            ] {
                let answer = try server.refused(
                    422, "invalid_body", "PUT", "/lists/new", body, keeping: ["new"])
                #expect(answer.json["pointer"]?.string == pointer)
            }
        }
    }

    @Test(arguments: Setup.memory)
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

    @Test(arguments: Setup.memory)
    func aBodyIsJSONInUTF8(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for (method, path) in Self.targets {
                for type in [
                    "text/plain", "application/x-www-form-urlencoded", "application/jsonx",
                    "application/json; charset=latin1", "application/json;charset=\"utf-16\"", "",
                    "json", "application/problem+json", ";", "*/*", "application/gzip",
                ] {
                    try server.refused(
                        415, "unsupported_media_type", method, path, #"{"title":"x"}"#,
                        ["Content-Type": type, "If-Match": "*"], keeping: ["l", "new"])
                }
            }
            for coding in ["br", "identity, gzip", "gzip, gzip", "deflate", "zstd"] {
                for (method, path) in Self.targets {
                    let refusal = try server.refused(
                        415, "unsupported_media_type", method, path, "\u{1F}\u{8B}",
                        ["Content-Encoding": coding, "If-Match": "*"], keeping: ["l", "new"])
                    #expect(refusal.json["detail"]?.string?.contains("compressed") == true)
                    #expect(refusal["Accept-Encoding"] == "gzip")
                }
            }
            for (method, path) in Self.targets {
                try server.refused(
                    400, "bad_request", method, path, "\u{1F}\u{8B}",
                    ["Content-Encoding": "GZIP", "If-Match": "*"], keeping: ["l", "new"])
            }
            let plain = try server.client.put(
                "/lists/plain", #"{"title":"x"}"#, ["Content-Encoding": "identity"])
            #expect(plain.status == 201)
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
