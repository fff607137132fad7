import Testing

/// The limits that a list sets itself: `maxDepth`, `maxTasksPerSection` and `tasksPerParent`.
@Suite struct ListLimitTests {
    private static let limits = #""maxDepth":2,"maxTasksPerSection":2,"tasksPerParent":2"#

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

    @Test(arguments: Setup.all)
    func eachWayIntoAListIsChecked(setup: Setup) throws {
        try withServer(setup) { server throws in
            try sample(server)
            let batch = #"{"op":"create","title":"n","section":"s"}"#
            for (code, path, body) in [
                ("max_depth", "/lists/l/move", #"{"task":"d","parent":"b"}"#),
                ("section_full", "/lists/l/move", #"{"task":"d","section":"s"}"#),
                ("section_full", "/lists/l/move", #"{"tasks":["d","b"],"before":"x"}"#),
                ("parent_full", "/lists/l/move", #"{"task":"d","parent":"a"}"#),
                ("parent_full", "/lists/l/move", #"{"fromRow":3,"toRow":1,"level":1}"#),
                ("max_depth", "/lists/l/tasks", #"{"title":"n","parent":"b"}"#),
                ("section_full", "/lists/l/tasks", #"{"title":"n","section":"s"}"#),
                ("parent_full", "/lists/l/tasks", #"{"title":"n","after":"b"}"#),
                ("section_full", "/lists/l/batch", #"{"ops":[\#(batch)]}"#),
                ("max_depth", "/lists/m/move", #"{"task":"p","toList":"l"}"#),
                ("section_full", "/lists/m/move", #"{"task":"o","toList":"l","section":"s"}"#),
                ("parent_full", "/lists/m/move", #"{"task":"o","toList":"l","parent":"a"}"#),
                ("section_full", "/tasks/o/copy", #"{"toList":"l","section":"s"}"#),
                ("max_depth", "/tasks/p/copy", #"{"toList":"l"}"#),
            ] {
                let answer = try server.refused(
                    409, code, "POST", path, body, keeping: ["l", "m"])
                #expect(answer.json["detail"]?.string?.isEmpty == false)
            }
            _ = try server.refused(
                409, "parent_full", "PUT", "/task/d", #"{"subtask":"a"}"#, keeping: ["l"])
            // The tasks without a section are not limited.
            for title in ["n1", "n2", "n3"] {
                let answer = try server.client.post("/lists/l/tasks", #"{"title":"\#(title)"}"#)
                #expect(answer.status == 201)
            }
        }
    }

    @Test(arguments: Setup.oneServer)
    func aDropOfADragIsChecked(setup: Setup) throws {
        try withServer(setup) { server throws in
            try sample(server)
            let drag = try server.client.post("/lists/l/drags", #"{"task":"d"}"#)
            let path = try #require(drag["Location"])
            try server.refused(409, "section_full", "PATCH", path, #"{"section":"s"}"#)
            try server.refused(409, "section_full", "POST", path + "/drop", #"{"section":"s"}"#)
        }
    }

    @Test(arguments: Setup.all)
    func aLowerLimitRefusesOnlyWhatAddsToTheExcess(setup: Setup) throws {
        try withServer(setup) { server throws in
            try sample(server)
            let patch = #"{"maxDepth":1,"maxTasksPerSection":1,"tasksPerParent":1}"#
            #expect(try server.client.send("PATCH", "/lists/l", patch).status == 200)
            func move(_ body: String) throws -> APIResponse {
                try server.client.post("/lists/l/move", body)
            }
            #expect(try move(#"{"task":"y","before":"x"}"#).json["changed"] == true)
            #expect(try move(#"{"task":"c","before":"b"}"#).json["changed"] == true)
            #expect(try move(#"{"task":"y","section":null}"#).json["changed"] == true)
            // The limit is reached, and not exceeded, now.
            _ = try server.refused(
                409, "section_full", "POST", "/lists/l/move", #"{"task":"y","section":"s"}"#)
            #expect(try move(#"{"task":"b","section":null}"#).json["changed"] == true)
            _ = try server.refused(
                409, "max_depth", "POST", "/lists/l/move", #"{"task":"b","parent":"d"}"#)
        }
    }

    @Test(arguments: Setup.all)
    func aDocumentThatBreaksItsLimitsIsRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            for (tasks, pointer) in [
                (["a", "b<a", "c<b"], "/tasks/2/parent"),
                (["a@s", "b@s", "c@s"], "/tasks/2/section"),
                (["a", "b<a", "c<a", "d<a"], "/tasks/3/parent"),
            ] {
                let answer = try server.refused(
                    422, "invalid_body", "PUT", "/lists/l", draft(tasks, Self.limits))
                #expect(answer.json["pointer"]?.string == pointer)
                let created = try server.client.put("/lists/free", draft(tasks), ["If-Match": "*"])
                #expect(200..<300 ~= created.status || created.status == 412)
            }
            let lines = """
                {"title":"L","tasksPerParent":1}
                {"id":"a","title":"a"}
                {"id":"b","title":"b","parent":"a"}
                {"id":"c","title":"c","parent":"a"}
                """
            let answer = try server.refused(
                422, "invalid_body", "PUT", "/lists/l", lines,
                ["Content-Type": "application/x-ndjson"])
            #expect(answer.json["line"] == 4)
            #expect(answer.json["pointer"]?.string == "/parent")
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
            // A later undo of a deletion is an addition.
            let deletion = try server.client.delete("/tasks/x")
            let version = try server.client.get("/lists/l").json["version"]?.int ?? 0
            #expect(deletion.status < 300)
            _ = try server.client.send("PATCH", "/tasks/d", #"{"title":"later"}"#)
            let answer = try server.refused(
                409, "undo_conflict", "POST", "/lists/l/undo", #"{"version":\#(version)}"#)
            #expect(answer.json["detail"]?.string?.contains("section") == true)
        }
    }
}
