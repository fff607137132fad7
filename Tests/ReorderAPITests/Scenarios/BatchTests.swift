import Testing

@Suite struct BatchTests {
    private let mixed = """
        {"ops":[
            {"op":"create","id":"n","title":"New","parent":"a"},
            {"task":"b","before":"a","op":"move"},
            {"op":"update","task":"n","set":{"done":true}},
            {"op":"collapse","task":"a"},
            {"op":"delete","task":"c"}]}
        """

    @Test(arguments: Setup.all)
    func aBatchIsOneChange(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c"])])
            let answer = try server.client.post("/lists/l/batch", mixed)
            #expect(answer.json["version"] == 2)
            let results = answer.json["results"]
            #expect(results?.array.map { $0["status"]?.int } == [201, 200, 200, 200, 200])
            #expect(
                results?.array.map { $0["op"]?.string }
                    == ["create", "move", "update", "collapse", "delete"])
            #expect(results?[1]?["placedBy"] == "before")
            #expect(results?[3]?["rows"]?["removed"] == ["start": 2, "count": 1])
            #expect(try server.order() == ["b", "a", "n"])
            #expect(try server.client.get("/tasks/n").json["done"] == true)
            #expect(try server.client.get("/tasks/c").code == "task_not_found")
            let again = try server.client.post("/lists/l/batch", #"{"ops":[]}"#)
            #expect(again.json["changed"] == false)
        }
    }

    @Test(arguments: Setup.all)
    func anAtomicBatchIsAppliedCompletelyOrNotAtAll(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let refusal = try server.refused(
                409, "cycle", "POST", "/lists/l/batch",
                #"{"ops":[{"op":"move","task":"b","parent":"a"},{"op":"move","task":"a","parent":"b"}]}"#
            )
            #expect(refusal.json["pointer"] == "/ops/1")
            // The task's current state, because the batch was not applied.
            #expect(refusal.json["task"] == (try server.client.get("/tasks/a").json))
            // The ids that the batch reserved are free again.
            try server.refused(
                404, "task_not_found", "POST", "/lists/l/batch",
                #"{"ops":[{"op":"create","id":"n","title":"n"},{"op":"delete","task":"none"}]}"#)
            try server.make(["m": draft(["n"])])
        }
    }

    @Test(arguments: Setup.all)
    func aBatchThatIsNotAtomicAppliesEachOpSeparately(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"]), "m": draft(["taken"])])
            let answer = try server.client.post(
                "/lists/l/batch",
                """
                {"atomic":false,"ops":[
                    {"op":"move","opId":"1","task":"a","parent":"a"},
                    {"op":"create","id":"taken","title":"x"},
                    {"op":"create","opId":"3","id":"n","title":"n"},
                    {"op":"delete","task":"b"}]}
                """)
            let results = answer.json["results"]
            #expect(results?.array.map { $0["status"]?.int } == [409, 409, 201, 200])
            #expect(results?[0]?["problem"]?["code"] == "cycle")
            #expect(results?[1]?["problem"]?["code"] == "id_taken")
            #expect(
                results?.array.map { $0["op"]?.string } == ["move", "create", "create", "delete"])
            #expect(results?.array.map { $0["opId"]?.string } == ["1", nil, "3", nil])
            #expect(try server.order() == ["a", "n"])
        }
    }

    @Test(arguments: Setup.all)
    func tasksCreatedAndDeletedInABatchLeaveNoTrace(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let batch = try server.client.post(
                "/lists/l/batch",
                """
                {"ops":[
                    {"op":"create","id":"n","title":"n"}, {"op":"delete","task":"n"},
                    {"op":"delete","task":"a"}, {"op":"create","id":"a","title":"again"}]}
                """)
            #expect(batch.status == 200, "\(batch.text)")
            try server.reopen()
            #expect(try server.client.get("/tasks/n").code == "task_not_found")
            #expect(try server.client.get("/tasks/a").json["title"] == "again")
            try server.make(["m": draft(["n"])])
            try server.refused(
                409, "id_taken", "POST", "/lists/m/tasks", #"{"id":"a","title":"x"}"#)
        }
    }

    @Test func aBatchHasAtMostAThousandOps() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft(["a"])])
            func batch(_ count: Int) -> String {
                let op = #"{"op":"collapse","task":"a","collapsed":true}"#
                return #"{"ops":[\#(Array(repeating: op, count: count).joined(separator: ","))]}"#
            }
            #expect(try server.client.post("/lists/l/batch", batch(1_000)).status == 200)
            try server.refused(422, "invalid_body", "POST", "/lists/l/batch", batch(1_001))
        }
    }

    @Test(arguments: Setup.once)
    func aMalformedOpIsReportedWithAPointer(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let long = String(repeating: "x", count: 4_097)
            for (op, pointer) in [
                (#"{"task":"a"}"#, "/ops/0"), (#"{"op":"shuffle"}"#, "/ops/0"),
                (#"{"op":"delete"}"#, "/ops/0"), (#"{"op":7}"#, "/ops/0/op"),
                (#"{"op":"delete","task":"a","collapsed":true}"#, "/ops/0/collapsed"),
                (#"{"op":"section-create","section":"a b","title":""}"#, "/ops/0/section"),
                (#"{"op":"section-create","title":"\#(long)"}"#, "/ops/0/title"),
                (#"{"op":"section-create","title":"","position":-1}"#, "/ops/0/position"),
                (#"{"op":"section-update","section":"s"}"#, "/ops/0"),
                (#"{"op":"section-delete","section":"s","tasks":"move"}"#, "/ops/0/tasks"),
                (#"{"op":"list","set":{"elementsOffset":-1}}"#, "/ops/0/set/elementsOffset"),
            ] {
                let refusal = try server.refused(
                    422, "invalid_body", "POST", "/lists/l/batch", #"{"ops":[\#(op)]}"#)
                #expect(refusal.json["pointer"] == JSONValue.string(pointer), "\(op)")
            }
        }
    }
}
