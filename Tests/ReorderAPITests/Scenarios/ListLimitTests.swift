import Testing

/// The limits that a list sets itself: `maxDepth`, `maxTasksPerSection` and `tasksPerParent`.
@Suite struct ListLimitTests {
    private static let limits = #""maxDepth":2,"maxTasksPerSection":2,"tasksPerParent":2"#

    /// `ReorderEngineTests` has what the limits mean.
    private func sample(_ server: ServerUnderTest) throws {
        try server.make([
            "l": draft(["a", "b<a", "c<a", "d", "x@s", "y@s"], Self.limits),
            "m": draft(["p", "q<p", "r<q", "o"]),
        ])
    }

    @Test(arguments: Setup.all)
    func aListHasItsLimitsUntilTheyAreRemoved(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let before = try server.document("l")
            #expect(!before.contains("maxDepth"))
            func patch(_ body: String) throws -> APIResponse {
                try server.client.send("PATCH", "/lists/l", body)
            }
            #expect(try patch("{\(Self.limits)}").json["changed"] == true)
            #expect(try patch("{\(Self.limits)}").json["changed"] == false)
            for name in ["maxDepth", "maxTasksPerSection", "tasksPerParent"] {
                #expect(try server.client.get("/lists/l").json[name] == 2)
                let answer = try server.refused(
                    422, "invalid_body", "PATCH", "/lists/l", #"{"\#(name)":0}"#)
                #expect(answer.json["pointer"]?.string == "/\(name)")
                #expect(try patch(#"{"\#(name)":null}"#).json["changed"] == true)
                #expect(try server.client.get("/lists/l").json[name] == nil)
            }
            _ = try server.refused(422, "invalid_body", "PATCH", "/lists/l", #"{"maxDepth":17}"#)
            // Undoing the removals gives the limits back.
            for version in [5, 4, 3] {
                _ = try server.client.post("/lists/l/undo", #"{"version":\#(version)}"#)
            }
            #expect(try server.client.get("/lists/l").json["tasksPerParent"] == 2)
            #expect(try server.client.get("/lists/l").json["maxDepth"] == 2)
        }
    }

    @Test(arguments: Setup.once)
    func eachWayIntoAListIsChecked(setup: Setup) throws {
        try withServer(setup) { server throws in
            try sample(server)
            let batch = #"{"op":"create","title":"n","section":"s"}"#
            let lifted = try server.client.post("/lists/l/drags", #"{"task":"d"}"#)
            let drag = try #require(lifted["Location"])
            for (code, method, path, body) in [
                ("section_full", "POST", "/lists/l/move", #"{"tasks":["d","b"],"before":"x"}"#),
                ("parent_full", "POST", "/lists/l/tasks", #"{"title":"n","after":"b"}"#),
                ("section_full", "POST", "/lists/l/batch", #"{"ops":[\#(batch)]}"#),
                ("max_depth", "POST", "/lists/m/move", #"{"task":"p","toList":"l"}"#),
                ("section_full", "POST", "/tasks/o/copy", #"{"toList":"l","section":"s"}"#),
                ("parent_full", "PUT", "/task/d", #"{"subtask":"a"}"#),
                ("section_full", "PATCH", drag, #"{"section":"s"}"#),
                ("section_full", "POST", drag + "/drop", #"{"section":"s"}"#),
            ] {
                let answer = try server.refused(
                    409, code, method, path, body, keeping: ["l", "m"])
                #expect(answer.json["detail"]?.string?.isEmpty == false)
            }
        }
    }

    /// The export of a list whose limits were lowered must be imported, and what was read can be written.
    @Test(arguments: Setup.all)
    func aDocumentMayExceedItsLimitsUnlessItAddsToAnExcess(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c<a", "x@s", "y@s", "z@s"])])
            let limits = #""maxDepth":1,"maxTasksPerSection":2,"tasksPerParent":1"#
            _ = try server.client.send("PATCH", "/lists/l", "{\(limits)}")
            let read = try server.client.get("/lists/l")
            let again = try server.client.put(
                "/lists/l", read.text, ["If-Match": read["ETag"] ?? ""])
            #expect(again.status == 200 && again.json["changed"] == false, "\(again.text)")
            let more = draft(["a", "b<a", "c<a", "x@s", "y@s", "z@s", "n@s"], limits)
            try server.refused(409, "section_full", "PUT", "/lists/l", more, ["If-Match": "*"])
            let lines = """
                {"id":"m","title":"L","tasksPerParent":1}
                {"id":"ma","title":"a"}
                {"id":"mb","title":"b","parent":"ma"}
                {"id":"mc","title":"c","parent":"ma"}
                """
            let made = try server.client.put(
                "/lists/m", lines, ["Content-Type": "application/x-ndjson"])
            #expect(made.status == 201, "\(made.text)")
        }
    }

    @Test(arguments: Setup.all)
    func twoFullColumnsExchangeCardsInOneStep(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "l": draft(
                    ["a@s", "b@s", "c@t", "d@t", "p", "q<p", "r<p"],
                    #""maxTasksPerSection":2,"tasksPerParent":2"#)
            ])
            let there = #"{"op":"move","task":"a","section":"t","position":0}"#
            let back = #"{"op":"move","task":"c","section":"s","position":0}"#
            let swapped = try server.client.post("/lists/l/batch", #"{"ops":[\#(there),\#(back)]}"#)
            #expect(swapped.status == 200, "\(swapped.text)")
            #expect(try server.order() == ["p", "q", "r", "c", "b", "a", "d"])
            // An exchange adds nothing to an excess.
            func limit(_ count: Int) throws {
                let body = #"{"maxTasksPerSection":\#(count)}"#
                #expect(try server.client.send("PATCH", "/lists/l", body).status == 200)
            }
            try limit(1)
            for (first, second) in [("c", "a"), ("a", "c")] {
                let ops = [(first, "t"), (second, "s")].map {
                    #"{"op":"move","task":"\#($0)","section":"\#($1)","position":0}"#
                }
                let exchanged = try server.client.post(
                    "/lists/l/batch", #"{"ops":[\#(ops.joined(separator: ","))]}"#)
                #expect(exchanged.status == 200, "\(exchanged.text)")
            }
            try limit(2)
            #expect(try server.order() == ["p", "q", "r", "c", "b", "a", "d"])
            // Without the way back, and if each operation is on its own, there is no room.
            let other = #"{"op":"move","task":"b","section":"t"}"#
            let refused = try server.refused(
                409, "section_full", "POST", "/lists/l/batch",
                #"{"ops":[{"op":"update","task":"d","set":{"done":true}},\#(other)]}"#)
            #expect(refused.json["pointer"] == "/ops/1")
            let separate = try server.client.post(
                "/lists/l/batch", #"{"ops":[\#(other),{"op":"delete","task":"q"}],"atomic":false}"#)
            #expect(separate.json["results"]?.array.map { $0["status"] } == [409, 200])
            // The first step is refused, and the second one finds its room.
            let steps = try server.client.post(
                "/lists/l/batch",
                #"{"steps":[[{"op":"collapse","task":"p"},\#(other)],[\#(other),{"op":"delete","task":"d"}],[{"op":"create","id":"n","title":"n","parent":"p"},{"op":"create","id":"o","title":"o","parent":"p"}]]}"#
            )
            #expect(
                steps.json["results"]?.array.map { $0["status"] } == [
                    409, 409, 200, 200, 409, 409,
                ],
                "\(steps.text)")
            #expect(steps.json["results"]?[4]?["problem"]?["code"] == "parent_full")
            #expect(try server.order() == ["p", "r", "c", "a", "b"])
        }
    }

    @Test(arguments: Setup.once)
    func anUndoOfAClientPutsBackIntoAnOverfullColumn(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a@s", "b@s"])])
            _ = try server.client.send("PATCH", "/lists/l", #"{"maxTasksPerSection":1}"#)
            _ = try server.client.post("/lists/l/move", #"{"task":"a","section":null}"#)
            let back = #"{"op":"move","task":"a","section":"s","position":0"#
            try server.refused(
                409, "section_full", "POST", "/lists/l/batch", #"{"ops":[\#(back)}]}"#)
            let undone = try server.client.post(
                "/lists/l/batch",
                #"{"ops":[\#(back),"undo":true},{"op":"create","id":"n","title":"n","section":"s","undo":true}]}"#
            )
            #expect(undone.status == 200, "\(undone.text)")
            #expect(try server.order() == ["a", "b", "n"])
        }
    }

    @Test(arguments: Setup.all)
    func aMoveBackFromAnotherListPutsBackIntoAnOverfullColumn(setup: Setup) throws {
        try withServer(setup) { server throws in
            let list = #"""
                {"title":"l","sections":[{"id":"s","title":"s"}],
                 "tasks":[{"id":"a","title":"a","section":"s"},{"id":"b","title":"b","section":"s"},
                 {"id":"c","title":"c","section":"s","parent":"b"}]}
                """#
            try server.make(["l": list, "m": draft()])
            let limits = #"{"maxTasksPerSection":1,"maxDepth":1,"tasksPerParent":1}"#
            _ = try server.client.send("PATCH", "/lists/l", limits)
            let away = try server.client.post("/lists/l/move", #"{"task":"b","toList":"m"}"#)
            #expect(away.status == 200, "\(away.text)")
            let back = #"{"tasks":["b"],"toList":"l","section":"s","position":1"#
            _ = try server.refused(409, "max_depth", "POST", "/lists/m/move", "\(back)}")
            let undone = try server.client.post("/lists/m/move", #"\#(back),"undo":true}"#)
            #expect(undone.status == 200, "\(undone.text)")
            #expect(try server.order() == ["a", "b", "c"])
            // In one list, too.
            _ = try server.client.post("/lists/l/move", #"{"task":"b","section":null}"#)
            let move = #"{"task":"b","section":"s","undo":true}"#
            #expect(try server.client.post("/lists/l/move", move).status == 200)
            _ = try server.refused(
                422, "invalid_body", "POST", "/lists/l/move", #"{"task":"b","undo":true}"#)
        }
    }

    @Test(arguments: Setup.all)
    func aListThatExceedsItsLimitsIsCopiedAndRestoredAsItIs(setup: Setup) throws {
        try withServer(setup) { server throws in
            try sample(server)
            _ = try server.client.send("PATCH", "/lists/l", #"{"maxTasksPerSection":1}"#)
            let copy = try server.client.post("/lists/l/copy", #"{"id":"copy"}"#)
            #expect(copy.status == 201)
            #expect(try server.client.get("/lists/copy").json["maxTasksPerSection"] == 1)
            #expect(try server.client.delete("/lists/l").status < 300)
            #expect(try server.client.post("/lists/l/restore", "{}").status < 300)
            // The stored list is not checked.
            try server.reopen()
            #expect(try server.client.get("/lists/l").json["count"] == 6)
        }
    }
}
