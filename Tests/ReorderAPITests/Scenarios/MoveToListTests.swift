import Testing

/// Moves with `toList`.
@Suite struct MoveToListTests {
    private static let move = "/lists/l/move"

    @Test(arguments: Setup.all)
    func everyKindOfMoveCanTargetAnotherList(setup: Setup) throws {
        try withServer(setup) { server throws in
            for (body, placedBy, left, entered) in [
                (#"{"task":"a","toList":"m","after":"x"}"#, "after", "c d", "x y a b z"),
                (#"{"task":"c","toList":"m","before":"y"}"#, "before", "a b d", "x c y z"),
                (#"{"task":"b","toList":"m","parent":"x"}"#, "parent", "a c d", "x y b z"),
                (#"{"task":"d","toList":"m","section":"s"}"#, "section", "a b c", "x y z d"),
                (#"{"task":"d","toList":"m","position":0}"#, "position", "a b c", "d x y z"),
                (#"{"tasks":["d","a"],"toList":"m","before":"z"}"#, "before", "c", "x y d a b z"),
                (#"{"fromRow":0,"toList":"m","after":"y"}"#, "after", "c d", "x y a b z"),
                (#"{"fromRow":2,"toList":"m","toRow":1}"#, "row", "a b d", "x c y z"),
                (
                    #"{"from":{"section":"s","row":0},"toList":"m","to":{"section":null,"row":9}}"#,
                    "row", "a b c", "x y d z"
                ),
                (
                    #"{"task":"c","toList":"m","after":"gone","before":"a","position":1}"#,
                    "position", "a b d", "x y c z"
                ),
            ] {
                try server.make([
                    "l": draft(["a", "b<a", "c", "d@s"]), "m": draft(["x", "y<x", "z@s"]),
                ])
                let dry = try server.client.post("\(Self.move)?dryRun=true", body)
                #expect(dry["ETag"] == nil)
                #expect(try server.order("l") == ["a", "b", "c", "d"], "\(body)")
                #expect(try server.order("m") == ["x", "y", "z"], "\(body)")
                let answer = try server.client.post(Self.move, body)
                #expect(answer.status == 200, "\(body) \(answer.text)")
                expectDryRun(
                    dry, of: answer, from: (answer.json["version"]?.int ?? 0) - 1,
                    other: (answer.json["to"]?["version"]?.int ?? 0) - 1)
                #expect(answer.json["placedBy"]?.string == placedBy, "\(body)")
                #expect(answer.json["list"] == "l")
                #expect(answer["ETag"] == entityTag(answer.json["version"]?.int ?? 0))
                #expect(answer.json["to"]?["list"] == "m")
                #expect(try server.order("l").joined(separator: " ") == left, "\(body)")
                #expect(try server.order("m").joined(separator: " ") == entered, "\(body)")
                for list in ["l", "m"] {
                    let version =
                        list == "l" ? answer.json["version"] : answer.json["to"]?["version"]
                    #expect(try server.client.get("/lists/\(list)").json["version"] == version)
                    _ = try server.client.delete("/lists/\(list)")
                }
            }
        }
    }

    @Test(arguments: Setup.all)
    func movedTasksKeepTheirContent(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "l": """
                {"title":"List","tasks":[{"id":"a","title":"A","collapsed":true,"data":{"n":[1]}},
                {"id":"b","title":"Ä","parent":"a","done":true,"locked":true}]}
                """,
                "m": draft(["x"]),
            ])
            let before = try ["a", "b"].map { try server.client.get("/tasks/\($0)").json }
            let answer = try server.client.post(
                Self.move, #"{"task":"a","toList":"m","after":"x"}"#)
            #expect(
                answer.json["from"] == [
                    "section": nil, "parent": nil, "position": 0, "row": 0,
                ])
            try server.reopen()
            for (id, old) in zip(["a", "b"], before) {
                let now = try server.client.get("/tasks/\(id)")
                #expect(now["Link"] == "</lists/m>; rel=\"collection\"")
                for member in ["title", "collapsed", "done", "locked", "data", "parent"] {
                    #expect(now.json[member] == old[member], "\(id) \(member)")
                }
            }
            #expect(try server.client.get("/tasks/a").json == answer.json["task"])
            #expect(try server.order("m") == ["x", "a", "b"])
            // Requests that name the task by its id alone find it there.
            let collapsed = try server.client.post(
                "/tasks/a/collapse", #"{"collapsed":false}"#)
            #expect(collapsed.json["list"] == "m")
            #expect(try server.client.post(Self.move, #"{"task":"a","position":0}"#).status == 404)
        }
    }

    @Test(arguments: Setup.once)
    func aMoveToTheSameListIsAPlainMove(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c"])])
            let answer = try server.client.post(
                Self.move, #"{"task":"b","toList":"l","position":0}"#)
            #expect(answer.json["changed"] == false)
            #expect(answer.json["to"] == nil)
            let moved = try server.client.post(Self.move, #"{"task":"a","toList":"l"}"#)
            #expect(moved.json["version"] == 2)
            #expect(try server.order() == ["c", "a", "b"])
        }
    }

    @Test(arguments: Setup.once)
    func aRefusalChangesNeitherListAndReturnsTheTasks(setup: Setup) throws {
        try withServer(setup, tasksPerList: 30) { server throws in
            let chain = chain("d", 16)
            try server.make([
                "l": draft(["a", "b<a", "c"]),
                "m": draft(["x"] + chain, #""elementsOffset":1"#),
                "s": draft(["p"], #""moves":"siblings""#),
                "full": draft((0..<29).map { "f\($0)" }),
            ])
            for (code, list, body) in [
                ("anchor_gone", "l", #"{"task":"a","toList":"m","after":"c"}"#),
                ("anchor_gone", "l", #"{"fromRow":9,"toList":"m","toRow":0}"#),
                ("locked", "l", #"{"task":"a","toList":"m","before":"x"}"#),
                ("not_siblings", "s", #"{"task":"p","toList":"m"}"#),
                ("depth_limit", "l", #"{"tasks":["c","a"],"toList":"m","parent":"d15"}"#),
                ("list_full", "l", #"{"task":"a","toList":"full"}"#),
            ] {
                let path = "/lists/\(list)/move"
                let lists = ["l", "m", "s", "full"]
                let answer = try server.refused(409, code, "POST", path, body, keeping: lists)
                #expect(answer.json["version"] == 1)
                let dry = try server.refused(
                    409, code, "POST", path + "?dryRun=true", body, keeping: lists)
                #expect(dry.json == answer.json)
                if let task = answer.json["task"]?["id"]?.string {
                    #expect(answer.json["task"] == (try server.client.get("/tasks/\(task)").json))
                } else if !body.contains("fromRow") {
                    #expect(answer.json["tasks"]?.array.isEmpty == false, "\(body)")
                }
            }
        }
    }

    @Test(arguments: Setup.once)
    func missingListsAndTasksAreNotFound(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"]), "m": draft(["x"])])
            let noTarget = try server.refused(
                404, "list_not_found", "POST", Self.move, #"{"task":"a","toList":"none"}"#)
            #expect(noTarget.json["pointer"] == "/toList")
            let noList = try server.refused(
                404, "list_not_found", "POST", "/lists/none/move", #"{"task":"a","toList":"m"}"#)
            #expect(noList.json["pointer"] == nil)
            try server.refused(
                404, "task_not_found", "POST", Self.move, #"{"task":"x","toList":"m"}"#,
                keeping: ["l", "m"])
            try server.refused(
                422, "invalid_body", "POST", Self.move, #"{"task":"a","toList":null}"#)
            try server.refused(
                422, "invalid_body", "POST", Self.move, #"{"toList":"m","position":0}"#)
            let batch = try server.refused(
                422, "invalid_body", "POST", "/lists/l/batch",
                #"{"ops":[{"op":"move","task":"a","toList":"m"}]}"#, keeping: ["l", "m"])
            #expect(batch.json["pointer"] == "/ops/0/toList")
        }
    }

    @Test(arguments: Setup.once)
    func ifMatchAppliesToTheListInThePath(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"]), "m": draft(["x"])])
            _ = try server.client.post("/lists/m/tasks", #"{"title":"y"}"#)
            let body = #"{"task":"a","toList":"m"}"#
            let mismatch = try server.refused(
                412, "version_mismatch", "POST", Self.move, body, ["If-Match": entityTag(2)],
                keeping: ["l", "m"])
            #expect(mismatch.json["version"] == 1)
            let answer = try server.client.post(Self.move, body, ["If-Match": entityTag(1)])
            #expect(answer.json["version"] == 2)
            #expect(answer.json["to"] == ["list": "m", "version": 3])
        }
    }

    @Test(arguments: Setup.once)
    func tasksArriveCollapsedIfTheirListIsSetSo(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "l": draft(["a", "b<a"], #""collapseSubElements":true"#), "m": draft(["x"]),
            ])
            let answer = try server.client.post(Self.move, #"{"task":"a","toList":"m"}"#)
            #expect(answer.json["collapsed"] == ["a"])
            #expect(try server.client.get("/lists/m").json["rows"] == 2)
            let back = try server.client.post(
                "/lists/m/move", #"{"task":"a","toList":"l"}"#)
            #expect(back.json["collapsed"] == [])
            #expect(back.json["version"] == 3)
        }
    }
}
