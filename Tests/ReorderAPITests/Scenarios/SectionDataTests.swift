import Testing

@Suite struct SectionDataTests {
    private func section(_ server: ServerUnderTest, _ id: String) throws -> JSONValue? {
        try server.client.get("/lists/l").json["sections"]?.array.first { $0["id"] == .string(id) }
    }

    @Test(arguments: Setup.all)
    func aSectionsDataIsCreatedMergedAndRemoved(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            let draft =
                #"{"title":"L","sections":[{"id":"s","title":"S","data":{"k":[1]}},{"id":"t","title":"T"}]}"#
            try server.make(["l": draft])
            #expect(
                try section(server, "s")
                    == ["id": "s", "title": "S", "tasks": 0, "data": ["k": [1]]])
            #expect(try section(server, "t") == ["id": "t", "title": "T", "tasks": 0])
            let made = try client.post(
                "/lists/l/sections", #"{"id":"u","title":"U","data":[ null ]}"#)
            #expect(made.json["section"]?["data"] == [nil])
            func patch(_ body: String) throws -> APIResponse {
                try client.send("PATCH", "/lists/l/sections/s", body)
            }
            #expect(
                try patch(#"{"data":{"x":{"y":1}}}"#).json["section"]
                    == ["id": "s", "title": "S", "tasks": 0, "data": ["k": [1], "x": ["y": 1]]])
            #expect(try patch(#"{"data":{"k":null,"x":{"y":1}}}"#).json["changed"] == true)
            #expect(try patch(#"{"data":{"k":null}}"#).json["changed"] == false)
            #expect(try section(server, "s")?["data"] == ["x": ["y": 1]])
            let removed = try patch(#"{"title":"S!","data":null}"#)
            #expect(removed.json["section"] == ["id": "s", "title": "S!", "tasks": 0])
            let changes = try client.get("/lists/l/changes?since=\(versionToken(2))").json[
                "changes"]?.array
            #expect(
                changes?.map { $0["ops"]?[0]?.text ?? "" } == [
                    #"{"data":{"k":[1],"x":{"y":1}},"op":"section-update","section":"s","title":"S"}"#,
                    #"{"data":{"x":{"y":1}},"op":"section-update","section":"s","title":"S"}"#,
                    #"{"data":null,"op":"section-update","section":"s","title":"S!"}"#,
                ])
            let document = try server.document("l")
            #expect(
                try client.put("/lists/l", document, ["If-Match": "*"]).json["changed"] == false)
            try server.reopen()
            #expect(try server.document("l") == document)
        }
    }

    @Test(arguments: Setup.once)
    func aBatchChangesTheDataOfSections(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a@s"])])
            let ops =
                #"{"ops":[{"op":"section-create","section":"t","title":"T","data":{"a":1}},"#
                + #"{"op":"section-update","section":"t","data":{"b":2}},"#
                + #"{"op":"section-update","section":"s","title":"S","data":null}]}"#
            let answer = try server.client.post("/lists/l/batch", ops)
            #expect(answer.json["results"]?[1]?["section"]?["data"] == ["a": 1, "b": 2])
            #expect(
                try section(server, "t")
                    == ["id": "t", "title": "T", "tasks": 0, "data": ["a": 1, "b": 2]])
            try server.refused(
                422, "invalid_body", "POST", "/lists/l/batch",
                #"{"ops":[{"op":"section-update","section":"s"}]}"#)
        }
    }
}
