import Testing

@Suite struct SectionTests {
    @Test(arguments: Setup.once)
    func sectionsAreCreatedRenamedAndMoved(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a@s", "b@t"])])
            func sections() throws -> [String] {
                try server.client.get("/lists/l").json["sections"]?.array
                    .compactMap { $0["id"]?.string } ?? []
            }
            let made = try server.client.post(
                "/lists/l/sections", #"{"id":"u","title":"U","position":1}"#)
            #expect(made.status == 201)
            #expect(made["Location"] == "/lists/l/sections/u")
            #expect(made.json["section"] == ["id": "u", "title": "U", "tasks": 0])
            #expect(try sections() == ["s", "u", "t"])
            let named = try server.client.post("/lists/l/sections", #"{"title":"last"}"#)
            let last = try #require(named.json["section"]?["id"]?.string)
            #expect(try sections() == ["s", "u", "t", last])
            _ = try server.client.post("/lists/l/sections/s/move", #"{"position":99}"#)
            #expect(try sections() == ["u", "t", last, "s"])
            #expect(try server.order() == ["b", "a"])
            let renamed = try server.client.send(
                "PATCH", "/lists/l/sections/t", #"{"title":"T!"}"#, [:])
            #expect(renamed.json["section"] == ["id": "t", "title": "T!", "tasks": 1])
            try server.refused(
                409, "id_taken", "POST", "/lists/l/sections", #"{"id":"t","title":"x"}"#)
        }
    }

    @Test(arguments: Setup.once)
    func aDeletedSectionsTasksAreKeptOrDeleted(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b@s", "c<b", "d@t", "e<d"])])
            #expect(try server.client.delete("/lists/l/sections/s").status == 200)
            let tasks = try server.client.get("/lists/l").json["tasks"]
            #expect(tasks?[1]?["section"] == JSONValue.null)
            #expect(try server.order() == ["a", "b", "c", "d", "e"])
            #expect(try server.client.delete("/lists/l/sections/t?tasks=delete").status == 200)
            #expect(try server.order() == ["a", "b", "c"])
            #expect(try server.client.get("/tasks/e").code == "task_not_found")
            try server.refused(
                422, "invalid_query", "DELETE", "/lists/l/sections/t?tasks=maybe")
        }
    }
}
