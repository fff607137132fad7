import Testing

@Suite struct TaskTests {
    @Test(arguments: Setup.once)
    func aTaskIsCreatedAtAnyDestination(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c", "d@s"])])
            let made = try server.client.post(
                "/lists/l/tasks",
                #"{"id":"n1","title":"New","done":true,"locked":true,"collapsed":true,"data":{"k":[1,null]}}"#
            )
            #expect(made.status == 201)
            #expect(made["Location"] == "/tasks/n1")
            #expect(made["ETag"] == entityTag(2))
            #expect(made.json["task"] == (try server.client.get("/tasks/n1").json))
            #expect(made.json["task"]?["data"] == ["k": [1, nil]])
            #expect(made.json["task"]?["position"] == 2)
            for (id, destination) in [
                ("n2", #""after":"a""#), ("n3", #""parent":"a","position":1"#),
                ("n4", #""section":null,"position":0"#), ("n5", #""before":"gone","section":"s""#),
            ] {
                let answer = try server.client.post(
                    "/lists/l/tasks", #"{"id":"\#(id)","title":"x",\#(destination)}"#)
                #expect(answer.status == 201, "\(id) \(answer.text)")
            }
            #expect(try server.order() == ["n4", "a", "b", "n3", "n2", "c", "n1", "d", "n5"])
        }
    }

    @Test(arguments: Setup.once)
    func aTaskIsDeletedWithItsSubtree(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c<b", "d"])])
            let answer = try server.client.delete("/tasks/a")
            #expect(answer.json == ["list": "l", "version": 2, "changed": true])
            #expect(try server.order() == ["d"])
            for task in ["a", "b", "c"] {
                #expect(try server.client.get("/tasks/\(task)").code == "task_not_found")
            }
            // The ids are free again.
            #expect(
                try server.client.post("/lists/l/tasks", #"{"id":"c","title":"c"}"#).status == 201)
        }
    }

    @Test(arguments: Setup.once)
    func collapsingReturnsTheRowsThatAppearAndDisappear(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c<b", "d<c", "e"])])
            let collapse = "/tasks/b/collapse"
            let hidden = try server.client.post(collapse, #"{"collapsed":true}"#).json
            #expect(hidden["rows"] == ["removed": ["start": 2, "count": 2]])
            #expect(hidden["task"]?["collapsed"] == true)
            let again = try server.client.post(collapse).json
            #expect(again["changed"] == false)
            #expect(again["version"] == 2)
            #expect(again["rows"] == JSONValue.null)
            // The subtasks are hidden already, so no visible row changes.
            let inner = try server.client.post("/tasks/c/collapse").json
            #expect(inner["changed"] == true)
            #expect(inner["rows"] == JSONValue.null)
            let shown = try server.client.post(collapse, #"{"collapsed":false}"#).json
            #expect(shown["rows"]?["inserted"]?["count"] == 1)
            #expect(shown["rows"]?["inserted"]?["tasks"]?[0]?["id"] == "c")
            #expect(try server.client.get("/tasks/d").json["row"] == JSONValue.null)
        }
    }

    @Test(arguments: Setup.once)
    func lockedTasksAreNotDeleted(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "l":
                    #"{"title":"x","elementsOffset":1,"tasks":[{"id":"a","title":"a"},{"id":"b","title":"b"},{"id":"c","title":"c","parent":"b","locked":true}]}"#
            ])
            for task in ["a", "b", "c"] {
                let answer = try server.refused(409, "locked", "DELETE", "/tasks/\(task)")
                #expect(answer.json["task"] == (try server.client.get("/tasks/\(task)").json))
                #expect(answer.json["version"] == 1)
            }
            try server.refused(
                409, "locked", "POST", "/lists/l/tasks", #"{"title":"x","position":0}"#)
        }
    }
}
