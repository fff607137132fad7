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

    @Test(arguments: Setup.once)
    func theDataOfSectionsHasTheLimitsOfTasks(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a@s"])])
            func text(_ bytes: Int) -> String {
                "\"\(String(repeating: "x", count: bytes - 2))\""
            }
            func nested(_ levels: Int) -> String {
                String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            }
            let path = "/lists/l/sections/s"
            for (most, over) in [(text(8_192), text(8_193)), (nested(13), nested(14))] {
                for (method, path, body) in [
                    ("PATCH", path, { #"{"data":\#($0)}"# }),
                    ("POST", "/lists/l/sections", { #"{"title":"T","data":\#($0)}"# }),
                    (
                        "PUT", "/lists/l",
                        { #"{"title":"L","sections":[{"id":"s","title":"S","data":\#($0)}]}"# }
                    ),
                    (
                        "POST", "/lists/l/batch",
                        { #"{"ops":[{"op":"section-update","section":"s","data":\#($0)}]}"# }
                    ),
                ] as [(String, String, (String) -> String)] {
                    let fields = method == "PUT" ? ["If-Match": "*"] : [:]
                    let refusal = try server.refused(
                        422, "invalid_body", method, path, body(over), fields)
                    #expect(refusal.json["pointer"]?.string?.hasSuffix("/data") == true)
                    let answer = try server.client.send(method, path, body(most), fields)
                    #expect(answer.status < 300, "\(method) \(answer.text)")
                }
            }
            // {"k":"…"} and {"l":"…"} merge to {"k":"…","l":"…"}: 15 bytes plus the texts.
            let half = String(repeating: "x", count: 4_088)
            _ = try server.client.send("PATCH", path, #"{"data":null}"#)
            _ = try server.client.send("PATCH", path, #"{"data":{"k":"\#(half)"}}"#)
            let over = #"{"data":{"l":"\#(half)xx"}}"#
            let refusal = try server.refused(422, "invalid_body", "PATCH", path, over)
            #expect(refusal.json["pointer"] == "/data")
            let op = #"{"op":"section-update","section":"s","data":{"l":"\#(half)xx"}}"#
            let batch = try server.refused(
                422, "invalid_body", "POST", "/lists/l/batch", #"{"ops":[\#(op)]}"#)
            #expect(batch.json["pointer"] == "/ops/0/data")
            let most = try server.client.send("PATCH", path, #"{"data":{"l":"\#(half)x"}}"#)
            #expect(most.status == 200)
        }
    }
}
