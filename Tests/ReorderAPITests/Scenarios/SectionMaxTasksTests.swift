import Testing

/// The limit of one section, `maxTasks`.
@Suite struct SectionMaxTasksTests {
    private func limit(_ server: ServerUnderTest, _ id: String) throws -> JSONValue? {
        let sections = try server.client.get("/lists/l").json["sections"]?.array ?? []
        return sections.first { $0["id"] == .string(id) }?["maxTasks"]
    }

    @Test(arguments: Setup.all)
    func aColumnHasALimitOfItsOwn(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            let board =
                #"{"title":"L","maxTasksPerSection":1,"sections":[{"id":"doing","title":"Doing"},"#
                + #"{"id":"done","title":"Done","maxTasks":1000000}],"tasks":[{"id":"a","title":"a","section":"doing"}]}"#
            try server.make(["l": board])
            #expect(try limit(server, "done") == 1_000_000 && limit(server, "doing") == nil)
            let full = #"{"title":"n","section":"doing"}"#
            _ = try server.refused(409, "section_full", "POST", "/lists/l/tasks", full)
            for id in ["b", "c", "d"] {
                let made = try client.post(
                    "/lists/l/tasks", #"{"id":"\#(id)","title":"\#(id)","section":"done"}"#)
                #expect(made.status == 201, "\(made.text)")
            }
            let patch = "/lists/l/sections/doing"
            let changed = try client.send("PATCH", patch, #"{"maxTasks":2}"#)
            #expect(changed.json["section"]?["maxTasks"] == 2, "\(changed.text)")
            #expect(try client.send("PATCH", patch, #"{"maxTasks":2}"#).json["changed"] == false)
            #expect(try client.post("/lists/l/tasks", full).status == 201)
            _ = try server.refused(409, "section_full", "POST", "/lists/l/tasks", full)
            for body in [#"{"maxTasks":0}"#, #"{"maxTasks":"2"}"#, #"{"maxTasks":1.5}"#] {
                let answer = try server.refused(422, "invalid_body", "PATCH", patch, body)
                #expect(answer.json["pointer"] == "/maxTasks")
            }
            let batch = try client.post(
                "/lists/l/batch",
                #"{"ops":[{"op":"section-create","section":"t","title":"T","maxTasks":3},"#
                    + #"{"op":"section-update","section":"doing","maxTasks":null}]}"#)
            #expect(batch.json["results"]?[0]?["section"]?["maxTasks"] == 3, "\(batch.text)")
            #expect(try limit(server, "doing") == nil)
            let version = batch.json["version"]?.int ?? 0
            let change = try client.get("/lists/l/changes?since=\(versionToken(version - 1))")
            #expect(
                change.json["changes"]?[0]?["ops"]?.text
                    == #"[{"maxTasks":3,"op":"section-insert","position":2,"section":"t","title":"T"},"#
                    + #"{"maxTasks":null,"op":"section-update","section":"doing","title":"Doing"}]"#
            )
            // It is stored, copied, and part of the document.
            let document = try server.document("l")
            #expect(
                try client.put("/lists/l", document, ["If-Match": "*"]).json["changed"] == false)
            try server.reopen()
            #expect(try server.document("l") == document)
            #expect(try server.client.post("/lists/l/copy", #"{"id":"m"}"#).status == 201)
            #expect(try server.client.get("/lists/m").json["sections"]?[2]?["maxTasks"] == 3)
            #expect(try server.client.delete("/lists/l/sections/t").status == 200)
            #expect(try server.client.post("/lists/l/undo").status == 200)
            #expect(try limit(server, "t") == 3)
        }
    }
}
