import Testing

@Suite struct PatchTests {
    @Test(arguments: Setup.once)
    func aListsSettingsAreMerged(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let answer = try server.client.send(
                "PATCH", "/lists/l", #"{"title":"New","elementsOffset":1,"moves":"siblings"}"#, [:])
            #expect(answer.json == ["list": "l", "version": 2, "changed": true])
            let list = try server.client.get("/lists/l").json
            #expect(list["title"] == "New")
            #expect(list["elementsOffset"] == 1)
            #expect(list["moves"] == "siblings")
            #expect(list["collapseSubElements"] == false)
            let again = try server.client.send(
                "PATCH", "/lists/l", #"{"title":"New"}"#,
                ["Content-Type": "application/merge-patch+json"])
            #expect(again.json["changed"] == false)
            let bad = #"{"title":null}"#
            let refusal = try server.refused(422, "invalid_body", "PATCH", "/lists/l", bad)
            #expect(refusal.json["pointer"] == "/title")
            try server.refused(422, "invalid_body", "PATCH", "/lists/l", #"{"id":"x"}"#)
            try server.refused(404, "list_not_found", "PATCH", "/lists/none", "{}")
        }
    }

    @Test(arguments: Setup.once)
    func aTasksDataIsMergedMemberByMember(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            func patch(_ json: String) throws -> JSONValue? {
                try server.client.send("PATCH", "/tasks/a", json, [:]).json["task"]
            }
            #expect(try patch(#"{"done":true,"data":{"k":{"x":1,"y":2}}}"#)?["done"] == true)
            #expect(
                try patch(#"{"data":{"k":{"x":null,"z":[null]}}}"#)?["data"]
                    == ["k": ["y": 2, "z": [nil]]])
            #expect(try patch(#"{"data":[1]}"#)?["data"] == [1])
            #expect(try patch(#"{"data":null,"title":"é"}"#)?["data"] == nil)
            #expect(try patch(#"{"title":"e\u0301"}"#)?["title"] == "e\u{301}")
            #expect(try server.client.get("/lists/l").json["version"] == 6)
            #expect(
                try server.client.send("PATCH", "/tasks/a", #"{"done":true}"#, [:])
                    .json["changed"] == false)
            try server.refused(404, "task_not_found", "PATCH", "/tasks/none", "{}")
            try server.refused(422, "invalid_body", "PATCH", "/tasks/a", #"{"collapsed":true}"#)
        }
    }
}
