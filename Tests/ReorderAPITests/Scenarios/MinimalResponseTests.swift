import MicroHTTP
import Testing

@testable import ReorderAPI

/// `Prefer: return=minimal`.
@Suite struct MinimalResponseTests {
    private static let minimal = ["Prefer": "return=minimal"]

    /// Writes that change no list. Their responses have secrets that no other response has, or nothing that could be left out. And
    /// imports, whose short response has a report.
    private static func ignoresPreferences(_ route: Route) -> Bool {
        ["/imports", "/tokens", "/webhooks", "/event-tickets", "/lists/:id/shares"].contains {
            route.pattern.hasPrefix($0)
        }
    }

    /// What a short response may have.
    private static let members: Set<String> = [
        "list", "version", "changed", "dryRun", "id", "to", "results",
        "drag", "expiresInSeconds", "expiresAt",
    ]

    private func response(
        to route: Route, _ fields: [String: String], _ setup: Setup
    ) throws -> APIResponse {
        var response: APIResponse?
        try withServer(setup) { server throws in
            let client = server.client
            #expect(try client.put("/lists/l", draft(["l-a@s", "l-b@s"])).status == 201)
            _ = try client.send("PATCH", "/lists/l/sections/s", #"{"title":"S"}"#)
            let drag = try client.post("/lists/l/drags", #"{"task":"l-a"}"#).json["drag"]?.string
            let calls = RouteCalls(
                list: "l", task: "l-a", other: "l-b", section: "s", drag: try #require(drag),
                webhook: "w")
            var call = calls.call(route)
            call.fields += fields.map { ($0.key, $0.value) }
            if route.pattern == "/lists" { call.body = Array(#"{"id":"m","title":"M"}"#.utf8) }
            if route.pattern == "/lists/:id/restore" {
                #expect(try client.delete("/lists/l").status == 204)
            }
            response = try client.send(call)
        }
        return try #require(response)
    }

    @Test(arguments: Setup.once)
    func eachWriteOfAListHasAShortResponse(setup: Setup) throws {
        var routes: [Route] = []
        try withServer(.inProcess) { routes = $0.routes }
        let writes = routes.filter { $0.method != .get && !Self.ignoresPreferences($0) }
        #expect(writes.count >= 20)
        for route in writes {
            let short = try response(to: route, Self.minimal, setup)
            let long = try response(to: route, ["Prefer": "return=representation"], setup)
            #expect((200..<300).contains(long.status), "\(route) \(long.text)")
            #expect(short["Preference-Applied"] == "return=minimal", "\(route)")
            #expect(long["Preference-Applied"] == nil, "\(route)")
            #expect(short.status == long.status, "\(route) \(short.text)")
            #expect((short["ETag"] == nil) == (long["ETag"] == nil), "\(route)")
            #expect((short["Location"] == nil) == (long["Location"] == nil), "\(route)")
            guard short.status != 204 else { continue }
            #expect(Set(short.json.object.keys).isSubset(of: Self.members), "\(short.text)")
            if route.pattern.hasPrefix("/task/") {
                // The long response is the element alone.
                #expect(short.json["list"] == "l" && short.json["version"] == 3)
                continue
            }
            for (name, value) in long.json.object
            where Self.members.contains(name)
                && !["id", "results", "drag", "expiresAt"].contains(name)
            {
                #expect(short.json[name] == value, "\(route) \(name)")
            }
        }
    }

    @Test(arguments: Setup.all)
    func aShortResponseHasTheIdsThatTheServerChose(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"]), "m": draft()])
            let client = server.client
            let task = try client.post("/lists/l/tasks", #"{"title":"c"}"#, Self.minimal)
            let id = try #require(task.json["id"]?.string)
            #expect(task["Location"] == "/tasks/\(id)")
            #expect(try client.get("/tasks/\(id)").json["title"] == "c")
            let section = try client.post("/lists/l/sections", #"{"title":"s"}"#, Self.minimal)
            #expect(
                section["Location"]
                    == "/lists/l/sections/\(section.json["id"]?.string ?? "none")")
            let copy = try client.post("/tasks/a/copy", "{}", Self.minimal)
            #expect(copy["Location"] == "/tasks/\(copy.json["id"]?.string ?? "none")")
            let transfer = try client.post(
                "/lists/l/move", #"{"task":"b","toList":"m"}"#, Self.minimal)
            #expect(transfer.json["to"] == ["list": "m", "version": 2])
            #expect(transfer.json["version"] == 5)
        }
    }

    @Test(arguments: Setup.all)
    func aBatchHasShortResultsAndWholeProblems(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let answer = try server.client.post(
                "/lists/l/batch",
                """
                {"atomic":false,"ops":[{"op":"create","title":"c","opId":"one"},
                {"op":"section-create","section":"s","title":"s"},
                {"op":"update","task":"a","set":{"title":"x"}},
                {"op":"move","task":"b","parent":"b"}]}
                """, Self.minimal)
            let results = try #require(answer.json["results"]?.array)
            let id = try #require(results[0]["id"]?.string)
            #expect(try server.client.get("/tasks/\(id)").status == 200)
            #expect(
                results[0] == ["op": "create", "opId": "one", "status": 201, "id": .string(id)])
            #expect(results[1] == ["op": "section-create", "status": 201, "id": "s"])
            #expect(results[2] == ["op": "update", "status": 200])
            #expect(results[3]["problem"]?["task"]?["id"] == "b")
            #expect(answer["Preference-Applied"] == "return=minimal")
        }
    }

    /// A problem is complete: the app puts the task back.
    @Test(arguments: Setup.once)
    func aRefusalIsComplete(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let problem = try server.refused(
                409, "cycle", "POST", "/lists/l/move", #"{"task":"a","parent":"a"}"#, Self.minimal)
            #expect(problem.json["task"]?["id"] == "a")
            #expect(problem["Preference-Applied"] == nil)
        }
    }

    /// A stored response has the form that the first request preferred; a stored result is complete.
    @Test(arguments: Setup.all, [true, false])
    func aRepeatedResponseIsTheFirstOne(setup: Setup, isShort: Bool) throws {
        let move = #"{"task":"a","after":"b"}"#
        let batch = #"{"ops":[{"op":"update","task":"a","set":{"done":true},"opId":"one"}]}"#
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            func send(_ path: String, _ body: String, isShort: Bool, key: String? = nil) throws
                -> APIResponse
            {
                var fields = isShort ? Self.minimal : [:]
                if let key { fields["Idempotency-Key"] = key }
                return try server.client.post("/lists/l/\(path)", body, fields)
            }
            let first = try send("move", move, isShort: isShort, key: "k")
            let repeated = try send("move", move, isShort: !isShort, key: "k")
            #expect(repeated["Idempotent-Replay"] == "true")
            #expect(repeated.body == first.body)
            #expect(repeated["Preference-Applied"] == first["Preference-Applied"])
            #expect((first.json["task"] == nil) == isShort)

            _ = try send("batch", batch, isShort: isShort)
            let result = try send("batch", batch, isShort: !isShort).json["results"]?.array.first
            #expect(result?["replayed"] == true)
            #expect(result?["task"]?["id"] == "a")
        }
    }
}
