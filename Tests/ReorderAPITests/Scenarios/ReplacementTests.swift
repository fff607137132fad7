import RandomRuns
import Testing

/// The changes of documents that replace lists.
@Suite struct ReplacementTests {
    private func put(_ server: ServerUnderTest, _ document: String) throws -> APIResponse {
        try server.client.put("/lists/l", document, ["If-Match": "*"])
    }

    /// The operations of the last change.
    private func lastOperations(_ server: ServerUnderTest) throws -> [JSONValue] {
        let version = try server.client.get("/lists/l").json["version"]?.int ?? 0
        let page = try server.client.get("/lists/l/changes?since=\(versionToken(version - 1))")
        return page.json["changes"]?[0]?["ops"]?.array ?? []
    }

    private static let tasks = (0..<20).map { "t\($0)" }

    @Test(arguments: Setup.all)
    func aSmallDifferenceIsASmallChange(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(Self.tasks + ["x@s"])])
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            let order = ["t7", "new"] + Self.tasks.filter { !["t7", "t9"].contains($0) } + ["x@s"]
            #expect(try put(server, draft(order)).json["version"] == 2)
            let change = try stream.expect("change", id: 2).data
            #expect(change["kind"] == nil)
            let operations = try #require(change["ops"]?.array)
            #expect(operations.map { $0["op"] } == ["move", "insert", "delete"])
            #expect(
                operations[0] == [
                    "op": "move", "task": "t7", "section": nil, "parent": nil, "position": 0,
                ])
            #expect(operations[1]["task"]?["id"] == "new" && operations[1]["task"]?["row"] == 1)
            #expect(operations[2] == ["op": "delete", "task": "t9", "title": "t9"])
            let document = try server.document("l")
            #expect(try server.client.get("/tasks/new").status == 200)
            #expect(try server.client.get("/tasks/t9").status == 404)
            try server.reopen()
            #expect(try server.document("l") == document)
        }
    }

    @Test(arguments: Setup.once) func theDataOfTheListIsADifference(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(Self.tasks)])
            for data in [#""data":{"n":1}"#, #""data":{"m":2}"#, ""] {
                #expect(try put(server, draft(Self.tasks, data)).status == 200)
                let operations = try lastOperations(server)
                #expect(operations.map { $0["op"] } == ["list"], "\(operations)")
                let stored = try server.client.get("/lists/l").json["data"]
                #expect((stored == nil) == data.isEmpty, "\(data)")
            }
        }
    }

    /// Tasks in another order, and tasks that were lost by mistake.
    @Test(arguments: Setup.all, [["t1", "t0"] + tasks.dropFirst(2), []])
    func aReplacementCanBeUndone(setup: Setup, tasks: [String]) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(Self.tasks)])
            #expect(try put(server, draft(tasks)).status == 200)
            #expect(try server.order() == tasks)
            let undo = try server.client.post("/lists/l/undo", #"{"version":2}"#)
            #expect(undo.status == 200, "\(undo.text)")
            #expect(try server.order() == Self.tasks)
        }
    }

    @Test(arguments: Setup.all)
    func aVeryDifferentDocumentIsFetched(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(Self.tasks)])
            #expect(try put(server, draft(["a", "b", "c"])).status == 200)
            #expect(try lastOperations(server) == [["op": "replace"]])
            try server.refused(409, "undo_conflict", "POST", "/lists/l/undo", #"{"version":2}"#)
            // No operation has this effect.
            let old = draft(["a", "b", "c"], #""createdAt":"2001-01-01T00:00:00Z""#)
            #expect(try put(server, old).status == 200)
            #expect(try lastOperations(server) == [["op": "replace"]])
        }
    }
}
