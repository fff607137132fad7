import Testing

@Suite struct ListTests {
    @Test(arguments: Setup.all)
    func aListIsCreatedReplacedAndDeleted(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            let made = try client.post("/lists", #"{"id":"l","title":"One"}"#)
            #expect(made.status == 201)
            #expect(made["Location"] == "/lists/l")
            let replaced = try client.put(
                "/lists/l", draft(["a", "b<a"]), ["If-Match": entityTag(1)])
            #expect(replaced.status == 200)
            #expect(replaced.json == ["list": "l", "version": 2, "changed": true])
            let document = try client.get("/lists/l")
            #expect(document.json["count"] == 2)
            #expect(document["ETag"] == entityTag(2))

            let deleted = try client.delete("/lists/l")
            #expect(deleted.status == 204)
            #expect(deleted["ETag"] == entityTag(3))
            #expect(deleted.body.isEmpty)
            #expect(try client.get("/lists/l").code == "list_not_found")
            #expect(try client.get("/tasks/b").code == "task_not_found")
            try server.refused(404, "list_not_found", "DELETE", "/lists/l")
        }
    }

    @Test(arguments: Setup.all)
    func theIndexCountsOpenTopLevelTasks(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c@s", "d<c"]), "m": draft()])
            func expectOpen(_ l: Int, _ m: Int = 0) throws {
                let lists = try server.client.get("/lists").json["lists"]
                #expect(lists?.array.map { $0["open"] } == [.int(l), .int(m)])
            }
            try expectOpen(2)
            _ = try server.client.send("PATCH", "/tasks/b", #"{"done":true}"#)
            try expectOpen(2)
            for isDone in [true, true, false] {
                _ = try server.client.send("PATCH", "/tasks/c", #"{"done":\#(isDone)}"#)
                try expectOpen(isDone ? 1 : 2)
            }
            _ = try server.client.post("/lists/l/move", #"{"task":"d","section":null}"#)
            try expectOpen(3)
            // A task that is done is not counted at the top level either.
            _ = try server.client.post("/lists/l/move", #"{"task":"b","section":"s"}"#)
            try expectOpen(3)
            _ = try server.client.post("/lists/l/move", #"{"task":"d","toList":"m"}"#)
            try expectOpen(2, 1)
            try server.reopen()
            try expectOpen(2, 1)
            _ = try server.client.delete("/tasks/a")
            _ = try server.client.delete("/lists/m")
            _ = try server.client.post("/lists/m/restore")
            try expectOpen(1, 1)
            _ = try server.client.put("/lists/l", draft(["x", "y"]), ["If-Match": "*"])
            try expectOpen(2, 1)
        }
    }

    @Test(arguments: Setup.all)
    func theServerGeneratesOmittedIds(setup: Setup) throws {
        try withServer(setup) { server throws in
            let made = try server.client.post(
                "/lists", #"{"title":"x","sections":[{"title":"s"}],"tasks":[{"title":"t"}]}"#)
            let id = try #require(made.json["list"]?.string)
            #expect(made["Location"] == "/lists/\(id)")
            let document = try server.client.get("/lists/\(id)").json
            let ids = [
                id, document["tasks"]?[0]?["id"]?.string, document["sections"]?[0]?["id"]?.string,
            ]
            let form = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
            #expect(Set(ids).count == 3)
            #expect(ids.allSatisfy { $0?.wholeMatch(of: form) != nil }, "\(ids)")
        }
    }

    @Test(arguments: Setup.once)
    func derivedMembersAreAcceptedAndIgnored(setup: Setup) throws {
        try withServer(setup) { server throws in
            let made = try server.client.put(
                "/lists/l",
                """
                {"id":"l","title":"x","version":99,"count":-1,"rows":{"any":[]},
                 "sections":[{"id":"s","title":"s","tasks":"many"}],
                 "tasks":[{"id":"a","title":"a","position":7,"row":"x","depth":3,"subtasks":null}]}
                """)
            #expect(made.json["version"] == 1)
            let task = try server.client.get("/tasks/a").json
            #expect(task["position"] == 0)
            #expect(task["depth"] == 0)
        }
    }

    @Test(arguments: Setup.all)
    func idsAreUniqueForListsAndForTasksOfAllLists(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"]), "m": draft(["c"])])
            let lists = ["l", "m", "n"]
            try server.refused(
                409, "id_taken", "POST", "/lists", #"{"id":"l","title":"x"}"#, keeping: lists)
            try server.refused(
                409, "id_taken", "POST", "/lists",
                #"{"id":"n","title":"x","tasks":[{"id":"a","title":"x"}]}"#,
                keeping: lists)
            try server.refused(
                409, "id_taken", "PUT", "/lists/n", draft(["x", "c"]), keeping: lists)
            try server.refused(
                409, "id_taken", "PUT", "/lists/l", draft(["b", "c"]), ["If-Match": "*"],
                keeping: lists)
            for (list, task) in [("l", "a"), ("l", "c"), ("m", "a")] {
                try server.refused(
                    409, "id_taken", "POST", "/lists/\(list)/tasks",
                    #"{"id":"\#(task)","title":"x"}"#, keeping: lists)
            }
            // A refused request reserves no ids.
            #expect(try server.client.put("/lists/n", draft(["x"])).status == 201)
        }
    }

    @Test(arguments: Setup.all)
    func headReturnsNoBodyAndOptionsReturnsTheMethods(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for path in ["/lists/l", "/tasks/a", "/healthz", "/openapi.yaml"] {
                let get = try server.client.get(path)
                let head = try server.client.send("HEAD", path)
                #expect(head.status == 200)
                #expect(head["ETag"] == get["ETag"])
                #expect(head["Content-Type"] == get["Content-Type"])
                #expect(head.body.isEmpty)
            }
            #expect(try server.client.send("HEAD", "/lists/none").status == 404)
            let options = try server.client.send("OPTIONS", "/lists/l")
            #expect(options.status == 204)
            #expect(options["Allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, PUT")
            #expect(try server.client.send("OPTIONS", "/none").code == "not_found")
        }
    }
}
