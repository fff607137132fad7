import Testing

/// `lockedByOffset`, which marks tasks that the list's `elementsOffset` locks.
@Suite struct OffsetLockTests {
    private static let list = draft(["a", "b<a", "c@s", "d@s", "e@t"], #""elementsOffset":2"#)

    private func marked(_ document: JSONValue) -> [String] {
        (document["tasks"]?.array ?? []).filter { $0["lockedByOffset"] == true }
            .compactMap { $0["id"]?.string }
    }

    @Test(arguments: Setup.once)
    func eachTaskHasLockedByOffset(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list])
            for query in ["", "?visible=true", "?visible=true&offset=1", "?offset=1&limit=3"] {
                let document = try server.client.get("/lists/l\(query)")
                let locked = query.contains("offset") ? ["c"] : ["a", "c"]
                #expect(marked(document.json) == locked, "\(query)")
                #expect(!document.text.contains(#""lockedByOffset":false"#))
            }
            #expect(try server.client.get("/tasks/c").json["lockedByOffset"] == true)
            #expect(try server.client.get("/tasks/d").json["lockedByOffset"] == nil)
            let renamed = try server.client.send("PATCH", "/tasks/c", #"{"title":"C"}"#)
            #expect(renamed.json["task"]?["lockedByOffset"] == true)
            let refusal = try server.refused(
                409, "locked", "POST", "/lists/l/move", #"{"task":"a","position":1}"#)
            #expect(refusal.json["task"]?["lockedByOffset"] == true)
            _ = try server.client.send("PATCH", "/lists/l", #"{"elementsOffset":3}"#)
            #expect(marked(try server.client.get("/lists/l").json) == ["a", "c", "d"])
            _ = try server.client.send("PATCH", "/lists/l", #"{"elementsOffset":99}"#)
            #expect(marked(try server.client.get("/lists/l").json) == ["a", "c", "d", "e"])
        }
    }

    @Test(arguments: Setup.all)
    func lockedByOffsetIsAcceptedAndNotStored(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list])
            let document = try server.document("l")
            let back = try server.client.put("/lists/l", document, ["If-Match": "*"])
            #expect(back.json["changed"] == false)
            // A task that is created among the locked rows.
            try server.make(["m": draft(["x"], #""elementsOffset":2"#)])
            let made = try server.client.post("/lists/m/tasks", #"{"id":"y","title":"y"}"#)
            #expect(made.json["task"]?["lockedByOffset"] == true)
            let change = try server.client.get("/lists/m/changes?since=\(versionToken(1))").json[
                "changes"]?[0]
            #expect(change?["ops"]?[0]?["task"]?["id"] == "y")
            #expect(change?["ops"]?[0]?["task"]?["lockedByOffset"] == nil)
            let states = try ["l", "m"].map { try server.document($0) }
            try server.reopen()
            #expect(try ["l", "m"].map { try server.document($0) } == states)
        }
    }
}
