import ReorderStore
import Testing

/// A list whose stored data can't be read.
@Suite struct UnreadableListTests {
    /// Stores a list that no program can read.
    private func damage(
        _ list: String, count: Int = 1, _ server: ServerUnderTest
    ) throws {
        try server.append([
            ListCommit(
                list: list, version: 1, at: 0, change: Array("x".utf8), snapshot: Array("x".utf8),
                stateAfter: .exists(title: list, count: count, open: count),
                insertedTasks: ["\(list)-1"])
        ])
    }

    /// The titles and the unreadable lists of all pages.
    private func search(
        _ server: ServerUnderTest, _ query: String
    ) throws -> (titles: [String], unreadable: [String]) {
        let pages = try server.client.pages("/tasks?\(query)").map(\.json)
        return (
            pages.flatMap { $0["tasks"]?.array.compactMap { $0["title"]?.string } ?? [] },
            pages.flatMap { $0["unreadable"]?.array.compactMap(\.string) ?? [] }
        )
    }

    @Test(arguments: Setup.all) func aSearchLeavesItOutAndNamesIt(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["a": draft(["milk"]), "z": draft(["milk2"])])
            #expect(try search(server, "q=milk").unreadable == [])
            try damage("bad", server)
            for query in [
                "q=milk", "q=milk&limit=1", "q=milk&order=data.due", "ids=milk,bad-1,milk2",
            ] {
                let found = try search(server, query)
                #expect(found.titles == ["milk", "milk2"], "\(query)")
                #expect(found.unreadable == ["bad"], "\(query)")
            }
            // A page loads such a large list first.
            try damage("large", count: 9_000, server)
            for query in ["q=milk", "q=milk&order=data.due"] {
                let found = try search(server, query)
                #expect(found.titles == ["milk", "milk2"], "\(query)")
                #expect(found.unreadable.sorted() == ["bad", "large"], "\(query)")
            }
        }
    }

    @Test(arguments: Setup.all) func itCanBeDeletedForGood(setup: Setup) throws {
        try withServer(setup) { server throws in
            try damage("bad", server)
            try server.make(["a": draft(["task"])])
            let client = server.client
            let move = #"{"task":"task","toList":"bad"}"#
            for _ in 0..<2 {
                #expect(try client.get("/lists/bad").code == "internal_error")
                #expect(try client.delete("/lists/bad").code == "internal_error")
                #expect(try client.send("PATCH", "/lists/bad", "{}").code == "internal_error")
                #expect(try client.post("/lists/a/move", move).code == "internal_error")
                let stale = ["If-Match": entityTag(7)]
                #expect(try client.delete("/lists/bad?permanent=true", stale).status == 412)
            }
            let current = ["If-Match": entityTag(1)]
            #expect(try client.delete("/lists/bad?permanent=true", current).status == 204)
            #expect(try client.delete("/lists/bad?permanent=true").status == 404)
            #expect(try client.get("/lists/bad").status == 404)
            #expect(try client.put("/lists/bad", draft(["bad-1"])).status == 201)
            #expect(try client.get("/lists/bad").json["version"] == 3)
            try server.reopen()
            #expect(try server.client.get("/tasks/bad-1").status == 200)
        }
    }
}
