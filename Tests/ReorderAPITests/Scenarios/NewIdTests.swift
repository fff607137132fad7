import Testing

/// Another client has taken ids of deleted tasks meanwhile. It can't keep the tasks from coming back.
@Suite struct NewIdTests {
    private func take(_ ids: [String], _ server: ServerUnderTest) throws {
        for id in ids {
            let body = #"{"id":"\#(id)","title":"other"}"#
            #expect(try server.client.post("/lists/m/tasks", body).status == 201)
        }
    }

    @Test(arguments: Setup.all)
    func restoredTasksWhoseIdsAreInUseGetNewIds(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            try server.make(["l": draft(["a", "b", "c<b", "d<c", "e@s"]), "m": draft()])
            _ = try client.send("PATCH", "/tasks/c", #"{"title":"C","done":true,"data":{"n":1}}"#)
            let before = try client.get("/tasks/c").json
            #expect(try client.delete("/lists/l").status == 204)
            try take(["c", "e"], server)
            let key = ["Idempotency-Key": "k"]
            let restored = try client.post("/lists/l/restore", nil, key)
            #expect(restored.status == 201, "\(restored.text)")
            let newIDs = restored.json["newIds"]
            let (c, e) = (newIDs?["c"]?.string ?? "", newIDs?["e"]?.string ?? "")
            #expect(newIDs == ["c": .string(c), "e": .string(e)] && c != e && c.count == 36)
            #expect(try server.order() == ["a", "b", c, "d", e])
            let after = try client.get("/tasks/\(c)").json
            for member in ["title", "done", "data", "parent", "createdAt", "completedAt", "depth"] {
                #expect(after[member] == before[member], "\(member)")
            }
            #expect(try client.get("/tasks/d").json["parent"]?.string == c)
            #expect(try server.order("m") == ["c", "e"])
            #expect(try client.post("/lists/l/restore", nil, key).text == restored.text)
            try server.reopen()
            #expect(try server.order() == ["a", "b", c, "d", e])
        }
    }

    /// The undo is that of the last change, or a later one, which looks for the former place.
    @Test(arguments: Setup.all, [false, true])
    func undoneDeletionsGiveNewIdsToTasksWhoseIdsAreInUse(setup: Setup, isLast: Bool) throws {
        try withServer(setup) { server throws in
            let client = server.client
            try server.make(["l": draft(["a", "b", "c<b", "d<c", "e"]), "m": draft()])
            let ops =
                #"{"op":"update","task":"c","set":{"title":"C"}},{"op":"move","task":"e","parent":"c"},"#
                + #"{"op":"delete","task":"b"}"#
            let made = try client.post("/lists/l/batch", #"{"atomic":true,"ops":[\#(ops)]}"#)
            #expect(made.json["version"] == 2, "\(made.text)")
            if !isLast { _ = try client.send("PATCH", "/tasks/a", #"{"title":"A"}"#) }
            try take(["b", "c"], server)
            let undone = try client.post("/lists/l/undo", #"{"version":2}"#)
            #expect(undone.status == 200, "\(undone.text)")
            let newIDs = undone.json["newIds"]
            let (b, c) = (newIDs?["b"]?.string ?? "", newIDs?["c"]?.string ?? "")
            #expect(newIDs == ["b": .string(b), "c": .string(c)] && b.count == 36 && b != c)
            #expect(try server.order() == ["a", b, c, "d", "e"])
            #expect(try client.get("/tasks/\(c)").json["title"] == "c")
            #expect(try client.get("/tasks/\(c)").json["parent"]?.string == b)
            #expect(try client.get("/tasks/e").json["parent"] == .null)
            // The undo can be undone, too: the ids are the new ones.
            let version = undone.json["version"]?.int ?? 0
            let minimal = ["Prefer": "return=minimal"]
            let again = try client.post("/lists/l/undo", #"{"version":\#(version)}"#, minimal)
            #expect(again.status == 200 && again.json["newIds"] == nil, "\(again.text)")
            #expect(try server.order() == ["a"])
            try take(["d"], server)
            let back = try client.post("/lists/l/undo", #"{"version":\#(version + 1)}"#, minimal)
            #expect(back.json["newIds"]?["d"]?.string?.count == 36, "\(back.text)")
            #expect(try server.order().count == 5)
        }
    }
}
