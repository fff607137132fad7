import Testing

/// `POST /task/` and `PUT /task/:id` as the table views' HTTP client sends them.
@Suite struct ElementTests {
    @Test(arguments: Setup.once)
    func allMembersAreAppliedAsOneChange(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c", "d"])])
            let answer = try server.client.post(
                "/task/",
                #"{"id":"d","list":"l","position":0,"subtask":"a","hidesubtasks":1,"title":"New"}"#)
            #expect(answer.status == 200)
            #expect(
                answer.json == [
                    "id": "d", "list": "l", "position": 0, "subtask": "a", "hidesubtasks": 1,
                    "title": "New",
                ])
            #expect(answer["ETag"] == entityTag(2, in: "l"))
            #expect(try server.order() == ["a", "d", "b", "c"])
            let task = try server.client.get("/tasks/d").json
            #expect(task["collapsed"] == true)
            #expect(task["title"] == "New")

            // Sending the response back changes nothing.
            let again = try server.client.put("/task/d", answer.text)
            #expect(again.json == answer.json)
            #expect(again["ETag"] == entityTag(2, in: "l"))
            #expect(try server.client.put("/task/d", "{}").json == answer.json)
        }
    }

    @Test(arguments: Setup.once)
    func anUnknownIdIsCreated(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c@s"])])
            let posted = try server.client.post(
                "/task/",
                #"{"id":"n","list":"l","position":1,"subtask":"0","hidesubtasks":0,"title":"N"}"#)
            #expect(posted.status == 201)
            #expect(posted["Location"] == "/tasks/n")
            #expect(posted.json["position"] == 1)
            let put = try server.client.put("/task/m", #"{"list":"l","title":"","subtask":"c"}"#)
            #expect(put.status == 201)
            #expect(put.json["hidesubtasks"] == 0)
            #expect(try server.client.put("/task/o", #"{"list":"l","title":""}"#).status == 201)
            #expect(try server.order() == ["a", "n", "b", "o", "c", "m"])
        }
    }

    @Test(arguments: Setup.once)
    func noParentMeansTheTopLevelOfTheTasksSection(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["x", "a@s", "b@s", "c<b", "d<c"])])
            let out = try server.client.put("/task/d", #"{"subtask":"0","position":"1"}"#)
            #expect(out.json["position"] == 1)
            #expect(try server.client.get("/tasks/d").json["section"] == "s")
            // A position past the end means the end.
            let end = try server.client.put("/task/a", #"{"subtask":"0","position":99}"#)
            #expect(end.json["position"] == 2)
            #expect(try server.order() == ["x", "d", "b", "c", "a"])
        }
    }

    @Test(arguments: Setup.once)
    func omittedMembersAreUnchanged(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c<a", "d"])])
            for (body, order) in [
                // With the same parent the task stays in its place; with another one it moves to
                // the end.
                (#"{"subtask":"a"}"#, ["a", "b", "c", "d"]),
                (#"{"position":1}"#, ["a", "c", "b", "d"]),
                (#"{"subtask":"0"}"#, ["a", "c", "d", "b"]),
                (#"{"subtask":"0"}"#, ["a", "c", "d", "b"]),
                (#"{"subtask":"a"}"#, ["a", "c", "b", "d"]),
            ] {
                #expect(try server.client.put("/task/b", body).status == 200)
                #expect(try server.order() == order, "\(body)")
            }
            #expect(try server.client.put("/task/b", #"{"title":"B"}"#).json["title"] == "B")
            #expect(try server.client.get("/lists/l").json["version"] == 5)
        }
    }

    @Test(arguments: Setup.once)
    func numbersCanBeStrings(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c"])])
            let answer = try server.client.put("/task/a", #"{"position":"2","hidesubtasks":"1"}"#)
            #expect(answer.json["position"] == 2)
            #expect(answer.json["hidesubtasks"] == 1)
            #expect(
                try server.client.put("/task/a", #"{"position":"000000000000000001"}"#)
                    .json["position"] == 1)
            for (pointer, body) in [
                ("/position", #"{"position":"x"}"#), ("/position", #"{"position":""}"#),
                ("/position", #"{"position":"-1"}"#), ("/position", #"{"position":" 1"}"#),
                ("/position", #"{"position":-1}"#), ("/position", #"{"position":1.5}"#),
                ("/position", #"{"position":"1000000000000000000"}"#),
                ("/position", #"{"position":null}"#), ("/hidesubtasks", #"{"hidesubtasks":2}"#),
                ("/hidesubtasks", #"{"hidesubtasks":"01"}"#),
                ("/hidesubtasks", #"{"hidesubtasks":true}"#), ("/subtask", #"{"subtask":1}"#),
                ("/subtask", #"{"subtask":-1}"#), ("/subtask", #"{"subtask":0.5}"#),
                ("/subtask", #"{"subtask":null}"#), ("/list", #"{"list":1}"#),
                ("/title", #"{"title":7}"#), ("/id", #"{"id":"b"}"#), ("/done", #"{"done":1}"#),
            ] {
                let refusal = try server.refused(422, "invalid_body", "PUT", "/task/a", body)
                #expect(refusal.json["pointer"]?.string == pointer, "\(body)")
            }
            let noID = try server.refused(
                422, "invalid_body", "POST", "/task/", #"{"list":"l","title":"x"}"#)
            #expect(noID.json["pointer"] == "")
            try server.refused(422, "invalid_body", "PUT", "/task/a%20b", "{}")
        }
    }

    /// The number is what the text `"0"` is: no parent.
    @Test(arguments: Setup.once)
    func theParentZeroCanBeANumber(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a"])])
            let moved = try server.client.put("/task/b", #"{"subtask":0,"position":0}"#)
            #expect(moved.status == 200 && moved.json["subtask"] == "0")
            #expect(try server.order() == ["b", "a"])
            let made = try server.client.post(
                "/task/", #"{"id":"c","list":"l","title":"C","subtask":0.0}"#)
            #expect(made.status == 201 && made.json["subtask"] == "0")
        }
    }

    @Test(arguments: Setup.once)
    func explicitMembersOverrideCollapsingByTheMove(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "l": draft(["a", "b<a", "c"], #""collapseSubElements":true"#)
            ])
            let shown = try server.client.put("/task/a", #"{"position":1,"hidesubtasks":0}"#)
            #expect(shown.json["hidesubtasks"] == 0)
            let moved = try server.client.put("/task/a", #"{"position":0}"#)
            #expect(moved.json["hidesubtasks"] == 1)
        }
    }

    @Test(arguments: Setup.once)
    func aRefusedElementChangesNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            let chain = chain("t", 16)
            try server.make([
                "l": draft(["a", "b<a", "c"], #""moves":"siblings""#),
                "m": draft(["x", "y"], #""elementsOffset":1"#), "deep": draft(chain + ["z"]),
            ])
            let cycle = try server.refused(
                409, "cycle", "PUT", "/task/a", #"{"title":"New","subtask":"b"}"#)
            #expect(cycle.json["task"] == (try server.client.get("/tasks/a").json))
            #expect(cycle.json["pointer"] == nil)
            try server.refused(409, "anchor_gone", "PUT", "/task/a", #"{"subtask":"gone"}"#)
            try server.refused(409, "not_siblings", "PUT", "/task/c", #"{"subtask":"a"}"#)
            let locked = try server.refused(
                409, "locked", "PUT", "/task/x", #"{"title":"New","position":1}"#, keeping: ["m"])
            #expect(locked.json["version"] == 1)
            try server.refused(
                409, "locked", "PUT", "/task/n", #"{"list":"m","title":"N","position":0}"#,
                keeping: ["m"])
            try server.refused(
                409, "depth_limit", "PUT", "/task/z", #"{"subtask":"t16"}"#, keeping: ["deep"])
            try server.refused(
                409, "id_taken", "PUT", "/task/x", #"{"list":"l","title":"X"}"#,
                keeping: ["l", "m"])
            try server.refused(404, "task_not_found", "PUT", "/task/none", #"{"title":"N"}"#)
            try server.refused(
                404, "task_not_found", "POST", "/task/", #"{"id":"none","list":"l","position":1}"#)
            try server.refused(
                404, "list_not_found", "POST", "/task/", #"{"id":"n","list":"none","title":"N"}"#)
            try server.refused(
                412, "version_mismatch", "PUT", "/task/a", #"{"title":"New"}"#,
                ["If-Match": entityTag(7)])
            // A locked task is accepted in its current place.
            #expect(
                try server.client.put(
                    "/task/x", #"{"list":"m","position":0,"subtask":"0","hidesubtasks":1}"#
                ).status == 200)
        }
    }

    @Test(arguments: Setup.once)
    func aFullListAcceptsNoNewElement(setup: Setup) throws {
        try withServer(setup, tasksPerList: 2) { server throws in
            try server.make(["l": draft(["a"])])
            #expect(try server.client.put("/task/b", #"{"list":"l","title":"B"}"#).status == 201)
            try server.refused(409, "list_full", "PUT", "/task/c", #"{"list":"l","title":"C"}"#)
            #expect(try server.client.put("/task/b", #"{"list":"l","title":"C"}"#).status == 200)
        }
    }
}
