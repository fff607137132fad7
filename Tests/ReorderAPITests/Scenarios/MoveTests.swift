import Testing

@Suite struct MoveTests {
    private static let move = "/lists/l/move"

    @Test(arguments: Setup.once)
    func everyFormOfADestinationIsUnderstood(setup: Setup) throws {
        try withServer(setup) { server throws in
            let tasks = ["a", "b<a", "c", "d@s", "e@s"]
            for (body, placedBy, order) in [
                (#"{"task":"a","after":"c"}"#, "after", "c a b d e"),
                (#"{"task":"c","before":"a"}"#, "before", "c a b d e"),
                (#"{"task":"c","parent":"a","position":0}"#, "parent", "a c b d e"),
                (#"{"task":"e","section":null,"position":1}"#, "section", "a b e c d"),
                (#"{"task":"b","parent":null}"#, "parent", "a c b d e"),
                (#"{"task":"a","position":99}"#, "position", "c a b d e"),
                (#"{"task":"a","after":"x","before":"y","parent":"z","position":1}"#, "", ""),
                (#"{"task":"a","after":"x","before":"e"}"#, "before", "c d a b e"),
                (#"{"tasks":["b","a"],"section":"s","position":1}"#, "section", "c d a b e"),
                (#"{"task":"a","after":null,"before":null,"section":"s"}"#, "section", "c d e a b"),
                (#"{"fromRow":3,"parent":"b"}"#, "parent", "a b d c e"),
            ] {
                try server.make(["l": draft(tasks)])
                if placedBy.isEmpty {
                    try server.refused(409, "anchor_gone", "POST", Self.move, body)
                } else {
                    let dry = try server.client.post("\(Self.move)?dryRun=true", body)
                    #expect(dry["ETag"] == nil)
                    #expect(try server.order() == ["a", "b", "c", "d", "e"], "\(body)")
                    let answer = try server.client.post(Self.move, body)
                    expectDryRun(
                        dry, of: answer, from: (answer.json["version"]?.int ?? 0) - 1)
                    #expect(answer.status == 200, "\(body) \(answer.text)")
                    #expect(answer.json["placedBy"]?.string == placedBy, "\(body)")
                    #expect(answer["ETag"] == entityTag(answer.json["version"]?.int ?? 0))
                    #expect(try server.order().joined(separator: " ") == order, "\(body)")
                }
                _ = try server.client.delete("/lists/l")
            }
        }
    }

    @Test(arguments: Setup.once)
    func aMoveToTheSamePlaceChangesNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let before = try server.document("l")
            let answer = try server.client.post(Self.move, #"{"task":"b","after":"a"}"#)
            #expect(answer.status == 200 && answer.json["changed"] == false)
            #expect(answer.json["version"] == 1 && answer["ETag"] == entityTag(1))
            #expect(try server.document("l") == before)
        }
    }

    @Test(arguments: Setup.once)
    func everyRefusalReturnsTheTasks(setup: Setup) throws {
        try withServer(setup) { server throws in
            let chain = chain("d", 15)
            try server.make([
                "l": draft(
                    ["top", "a", "b<a", "c<b"] + chain + ["z@s"], #""elementsOffset":1"#),
                "m": draft(["m1", "m2<m1", "m3@s"], #""moves":"siblings""#),
            ])
            for (code, list, body) in [
                ("cycle", "l", #"{"tasks":["z","a"],"before":"c"}"#),
                ("anchor_gone", "l", #"{"task":"a","after":"gone","before":"m1"}"#),
                ("anchor_gone", "l", #"{"fromRow":99,"toRow":0}"#),
                ("locked", "l", #"{"tasks":["a","top"],"section":"s"}"#),
                ("depth_limit", "l", #"{"task":"b","parent":"d15"}"#),
                ("not_siblings", "m", #"{"task":"m1","section":"s"}"#),
            ] {
                let path = "/lists/\(list)/move"
                let answer = try server.refused(
                    409, code, "POST", path, body, keeping: ["l", "m"])
                #expect(answer.json["version"] == 1)
                let request = try JSONValue(json: Array(body.utf8))
                let named = (request["tasks"]?.array ?? [request["task"]].compactMap { $0 })
                    .compactMap(\.string)
                let now = try named.map { try server.client.get("/tasks/\($0)").json }
                if request["tasks"] != nil {
                    #expect(answer.json["tasks"] == .array(now), "\(body)")
                } else if let task = now.first {
                    #expect(answer.json["task"] == task, "\(body)")
                }
                let dry = try server.refused(
                    409, code, "POST", path + "?dryRun=true", body, keeping: ["l", "m"])
                #expect(dry.json == answer.json)
            }
            let row = try server.client.post(Self.move, #"{"fromRow":0,"toRow":1}"#)
            #expect(row.json["task"]?["id"] == "top")
        }
    }

    @Test(arguments: Setup.once)
    func aMoveCollapsesSubtasksIfTheListIsSetSo(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c"], #""collapseSubElements":true"#)])
            let answer = try server.client.post(Self.move, #"{"task":"a","after":"c"}"#).json
            #expect(answer["collapsed"] == ["a"])
            #expect(answer["version"] == 2)
            #expect(try server.client.get("/lists/l").json["rows"] == 2)
        }
    }

    @Test(arguments: Setup.once)
    func aContradictoryMoveIsAnInvalidBody(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            for (pointer, body) in [
                ("", #"{}"#), ("", #"{"task":"a"}"#), ("", #"{"after":"a"}"#),
                ("", #"{"task":"a","tasks":["b"],"position":0}"#),
                ("", #"{"task":"a","fromRow":0,"position":0}"#),
                ("", #"{"fromRow":0}"#),
                ("/tasks", #"{"tasks":[],"position":0}"#),
                ("/tasks/1", #"{"tasks":["a","a"],"position":0}"#),
                ("/tasks/0", #"{"tasks":[1],"position":0}"#),
                ("/tasks", #"{"tasks":"a","position":0}"#),
                ("/task", #"{"task":null,"position":0}"#),
                ("/position", #"{"task":"a","position":-1}"#),
                ("/position", #"{"task":"a","position":0.5}"#),
                ("/position", #"{"task":"a","position":9223372036854775808}"#),
                ("/position", #"{"task":"a","position":"0"}"#),
                ("", #"{"task":"a","after":null,"before":null}"#),
                ("/section", #"{"task":"a","section":false}"#),
                ("/x~1y~0", #"{"task":"a","position":0,"x/y~":1}"#),
                ("", #"[]"#), ("", #"null"#), ("", #""a""#),
            ] {
                let answer = try server.refused(422, "invalid_body", "POST", Self.move, body)
                #expect(answer.json["pointer"]?.string == pointer, "\(body) \(answer.text)")
            }
            for query in ["dryRun=1", "dryRun", "dryRun=TRUE", "dryRun=", "dryRun=%zz"] {
                try server.refused(
                    422, "invalid_query", "POST", "\(Self.move)?\(query)",
                    #"{"task":"a","position":1}"#)
            }
            for query in ["dryRun=false", ""] {
                let answer = try server.client.post(
                    "\(Self.move)?\(query)", #"{"task":"a","position":1e0}"#)
                #expect(answer.status == 200)
            }
        }
    }
}

/// A dry run returns the result of the move, except that `dryRun` is set and the list's version is
/// unchanged.
func expectDryRun(
    _ dry: APIResponse, of answer: APIResponse, from version: Int, other: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    var expected = answer.json.object
    expected["dryRun"] = true
    expected["version"] = .int(version)
    if let other {
        expected["to"] = ["list": answer.json["to"]?["list"] ?? nil, "version": .int(other)]
    }
    #expect(dry.json == .object(expected), sourceLocation: sourceLocation)
    #expect(dry["ETag"] == nil, sourceLocation: sourceLocation)
}
