import ReorderService
import Testing

/// Folding for one person only: the parameter `folds` names a list of folds.
@Suite struct FoldTests {
    // Rows as stored: a 0, b 1, c 2 (c1 hidden), d 3.
    private static let list = """
        {"title":"L","tasks":[{"id":"a","title":"A"},{"id":"a1","title":"A1","parent":"a"},
        {"id":"a2","title":"A2","parent":"a"},{"id":"b","title":"B"},
        {"id":"c","title":"C","collapsed":true},{"id":"c1","title":"C1","parent":"c"}]}
        """

    private func rows(_ server: ServerUnderTest, _ folds: String?) throws -> [String] {
        let query = folds.map { "&folds=\($0)" } ?? ""
        let page = try server.client.get("/lists/l/tasks?visible=true\(query)")
        let tasks = try #require(page.json["tasks"]?.array, "\(page.text)")
        #expect(tasks.compactMap { $0["row"]?.int } == Array(0..<tasks.count))
        return tasks.compactMap { $0["id"]?.string }
    }

    @Test(arguments: Setup.all)
    func onePersonFoldsForHerself(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list, "alice": draft(), "bob": draft()])
            let before = try server.document("l")
            let shared = ["a", "a1", "a2", "b", "c"]

            let folded = try server.client.post("/tasks/a/collapse?folds=alice", nil)
            #expect(folded.status == 200, "\(folded.text)")
            #expect(folded.json["list"] == "alice" && folded.json["version"] == 2)
            #expect(folded.json["changed"] == true && folded.json["task"]?["id"] == "a")
            #expect(folded.json["task"]?["collapsed"] == true)
            #expect(folded.json["rows"]?["removed"]?["start"] == 1)
            #expect(folded.json["rows"]?["removed"]?["count"] == 2)
            #expect(try rows(server, "alice") == ["a", "b", "c"])
            #expect(try rows(server, "bob") == shared)
            #expect(try rows(server, nil) == shared)

            let opened = try server.client.post(
                "/tasks/c/collapse?folds=alice", #"{"collapsed":false}"#)
            #expect(opened.json["rows"]?["inserted"]?["start"] == 3)
            let shown = opened.json["rows"]?["inserted"]?["tasks"]?.array
            #expect(shown?.compactMap { $0["id"]?.string } == ["c1"])
            #expect(try rows(server, "alice") == ["a", "b", "c", "c1"])

            // The same request again changes nothing, and a new value changes the entry.
            let again = try server.client.post("/tasks/a/collapse?folds=alice", "{}")
            #expect(again.json["changed"] == false && again.json["version"] == 3)
            #expect(again.json["rows"] == .null)
            _ = try server.client.post("/tasks/a/collapse?folds=alice", #"{"collapsed":false}"#)
            #expect(try rows(server, "alice") == shared + ["c1"])
            let entries = try server.client.get("/lists/alice").json["tasks"]?.array ?? []
            #expect(entries.compactMap { $0["title"]?.string } == ["a", "c"])
            #expect(entries.compactMap { $0["data"]?["task"]?.string } == ["a", "c"])
            #expect(try server.document("l") == before)

            // The stored value remains the default.
            _ = try server.client.post("/tasks/a/collapse", "{}")
            #expect(try rows(server, "bob") == ["a", "b", "c"])
            #expect(try rows(server, "alice") == shared + ["c1"])
        }
    }

    @Test(arguments: Setup.oneServer)
    func aFoldedTaskKeepsItsTimes(setup: Setup) throws {
        try withServer(setup) { server throws in
            let time = "2020-01-01T00:00:00.000Z"
            let task = #"{"id":"a","title":"A","updatedAt":"\#(time)"}"#
            let list = #"{"title":"L","tasks":[\#(task),{"id":"b","title":"B"}]}"#
            try server.make(["l": list, "alice": draft()])
            _ = try server.client.send("PATCH", "/tasks/b", #"{"done":true}"#)
            for body in [#"{"collapsed":true}"#, #"{"collapsed":false}"#] {
                let folded = try server.client.post("/tasks/a/collapse?folds=alice", body)
                #expect(folded.json["changed"] == true)
                #expect(folded.json["task"]?["updatedAt"]?.string == time, "\(folded.text)")
            }
        }
    }

    @Test(arguments: Setup.all)
    func rowsOfAMoveAreThoseOfThePerson(setup: Setup) throws {
        try withServer(setup) { server throws in
            let list = Self.list.replacing(
                #""title":"L""#, with: #""title":"L","collapseSubElements":true"#)
            try server.make(["l": list, "alice": draft()])
            _ = try server.client.post("/tasks/a/collapse?folds=alice", nil)
            let move = #"{"fromRow":2,"toRow":1}"#
            let dry = try server.client.post("/lists/l/move?folds=alice&dryRun=true", move)
            #expect(dry.json["task"]?["id"] == "c", "\(dry.text)")
            let moved = try server.client.post("/lists/l/move?folds=alice", move)
            #expect(moved.json["list"] == "l" && moved.json["version"] == 2)
            #expect(moved.json["task"]?["id"] == "c" && moved.json["task"]?["row"] == 1)
            #expect(moved.json["from"]?["row"] == 2)
            #expect(try rows(server, "alice") == ["a", "c", "b"])

            // A person's move collapses nothing for the others.
            let first = try server.client.post(
                "/lists/l/move?folds=alice", #"{"fromRow":0,"toRow":2}"#)
            #expect(first.json["collapsed"]?.array == [])
            #expect(try server.order() == ["c", "c1", "b", "a", "a1", "a2"])
            #expect(try rows(server, nil) == ["c", "b", "a", "a1", "a2"])
            let changes = try server.client.get("/lists/l/changes?since=\(versionToken(1))").json[
                "changes"]?.array
            #expect(changes?.count == 2)
        }
    }

    @Test func anEntryIsATaskWithDataAndTheLastOneCounts() throws {
        try withServer(.inProcess) { server throws in
            let alice = """
                {"title":"F","tasks":[{"id":"e1","title":"","data":{"task":"a"},"collapsed":true},
                {"id":"e2","title":"no task","collapsed":true},
                {"id":"e3","title":"gone","data":{"task":"gone"},"collapsed":true},
                {"id":"e4","title":"no id","data":{"task":"no id"},"collapsed":true},
                {"id":"e5","title":"","data":{"x":1,"task":"a"},"collapsed":false},
                {"id":"e6","title":"","parent":"e2","data":{"task":"c"}}]}
                """
            try server.make(["l": Self.list, "alice": alice])
            #expect(try rows(server, "alice") == ["a", "a1", "a2", "b", "c", "c1"])
            _ = try server.client.delete("/tasks/e5")
            #expect(try rows(server, "alice") == ["a", "b", "c", "c1"])
            _ = try server.client.post("/tasks/c/collapse?folds=alice", nil)
            #expect(try server.client.get("/tasks/e6").json["collapsed"] == true)
            // A task that moves to another list takes its fold along.
            try server.make(["m": draft(["x"])])
            _ = try server.client.post("/lists/l/move", #"{"task":"a","toList":"m"}"#)
            let page = try server.client.get("/lists/m/tasks?visible=true&folds=alice")
            let ids = page.json["tasks"]?.array.compactMap { $0["id"]?.string }
            #expect(ids == ["x", "a"])
        }
    }

    @Test(arguments: Setup.oneServer)
    func theTagChangesWithTheListAndTheFolds(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list, "alice": draft()])
            func tag(_ seen: String?) throws -> (status: Int, tag: String) {
                let page = try server.client.get(
                    "/lists/l/tasks?folds=alice", seen.map { ["If-None-Match": $0] } ?? [:])
                return (page.status, try #require(page["ETag"]))
            }
            let first = try tag(nil)
            #expect(try tag(first.tag) == (304, first.tag))
            _ = try server.client.post("/tasks/a/collapse?folds=alice", nil)
            let second = try tag(first.tag)
            #expect(second.status == 200 && second.tag != first.tag)
            _ = try server.client.send("PATCH", "/tasks/a", #"{"done":true}"#)
            let third = try tag(second.tag)
            #expect(third.status == 200 && third.tag != second.tag)
            // The list's own tag is no tag of this page, and the other way round.
            let own = try #require(try server.client.get("/lists/l")["ETag"])
            #expect(try tag(own).status == 200)
            #expect(try server.client.get("/lists/l", ["If-None-Match": third.tag]).status == 200)
            try server.refused(
                412, "version_mismatch", "PATCH", "/tasks/a", #"{"done":false}"#,
                ["If-Match": third.tag])
        }
    }

    /// A worker applies many folds. The result is the same.
    @Test(arguments: Setup.oneServer)
    func manyFoldsAreSeenToo(setup: Setup) throws {
        try withServer(setup) { server throws in
            let tasks = (0..<200).flatMap { number in
                [
                    #"{"id":"t\#(number)","title":"T"}"#,
                    #"{"id":"u\#(number)","title":"U","parent":"t\#(number)"}"#,
                ]
            }
            let entries = (0..<200).map {
                #"{"id":"e\#($0)","title":"","data":{"task":"t\#($0)"},"collapsed":true}"#
            }
            func list(_ tasks: [String]) -> String {
                #"{"title":"L","tasks":[\#(tasks.joined(separator: ","))]}"#
            }
            try server.make(["l": list(tasks), "alice": list(entries), "bob": draft()])
            let page = try server.client.get(
                "/lists/l/tasks?visible=true&folds=alice&fields=id&limit=1000")
            let ids = page.json["tasks"]?.array.compactMap { $0["id"]?.string }
            #expect(ids == (0..<200).map { "t\($0)" }, "\(page.text)")
            let moved = try server.client.post(
                "/lists/l/move?folds=alice", #"{"fromRow":199,"toRow":0}"#)
            #expect(moved.json["task"]?["id"] == "t199" && moved.json["task"]?["row"] == 0)
            #expect(moved.json["from"]?["row"] == 199, "\(moved.text)")
            let opened = try server.client.post(
                "/tasks/t0/collapse?folds=alice", #"{"collapsed":false}"#)
            #expect(opened.json["rows"]?["inserted"]?["start"] == 2, "\(opened.text)")
            #expect(opened.json["changed"] == true && opened.json["list"] == "alice")
            #expect(try server.client.get("/lists/alice").json["count"] == 200)
        }
    }

    @Test func aListOfFoldsHasALimitedSize() throws {
        try withServer(.inProcess) { server throws in
            func folds(_ name: String, _ count: Int) -> String {
                let entries = (0..<count).map { number in
                    let id = #""id":"\#(name)\#(number)","title":"""#
                    return #"{\#(id),"data":{"task":"t\#(number)"},"collapsed":true}"#
                }
                return #"{"title":"F","tasks":[\#(entries.joined(separator: ","))]}"#
            }
            try server.make([
                "l": Self.list, "full": folds("e", Folds.maximumEntries),
                "room": folds("f", Folds.maximumEntries - 1),
            ])
            #expect(try rows(server, "full") == ["a", "a1", "a2", "b", "c"])
            try server.refused(
                409, "list_full", "POST", "/tasks/a/collapse?folds=full", nil,
                keeping: ["l", "full"])
            let last = try server.client.post("/tasks/a/collapse?folds=room", nil)
            #expect(last.status == 200, "\(last.text)")
            #expect(try rows(server, "room") == ["a", "b", "c"])
            _ = try server.client.post("/lists/full/tasks", #"{"title":"one more"}"#)
            try server.refused(422, "invalid_query", "GET", "/lists/l/tasks?folds=full")
        }
    }

    @Test(arguments: Setup.all)
    func aRepeatedRequestGetsItsResponseAlsoIfTheFoldsAreGone(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list, "alice": draft(), "bob": draft()])
            func send(_ target: String, _ body: String?) throws -> APIResponse {
                try server.client.post(target, body, ["Idempotency-Key": "k"])
            }
            // One key for two resources: each belongs to the task or list in its path.
            let requests = [
                ("/lists/l/move?folds=alice", #"{"fromRow":0,"toRow":3}"# as String?),
                ("/tasks/a/collapse?folds=alice", nil), ("/tasks/c/collapse?folds=alice", nil),
            ]
            let first = try requests.map { try send($0.0, $0.1) }
            #expect(first.allSatisfy { $0.status == 200 })
            _ = try server.client.delete("/lists/alice")
            _ = try server.client.delete("/tasks/a")
            for (request, expected) in zip(requests, first) {
                let again = try send(request.0, request.1)
                #expect(again.status == 200 && again.text == expected.text, "\(again.text)")
                #expect(again["Idempotent-Replay"] == "true")
            }
            #expect(
                try send("/tasks/c/collapse?folds=bob", nil).code == "key_reused")
        }
    }

    @Test func aCursorIsValidOnlyWithTheSameFolds() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": Self.list, "alice": draft(), "bob": draft()])
            _ = try server.client.post("/tasks/a/collapse?folds=alice", nil)
            let path = "/lists/l/tasks?visible=true&limit=1"
            let queries = ["", "&folds=alice", "&folds=bob"]
            for made in queries {
                let first = try server.client.get(path + made)
                let cursor = try #require(first.json["cursor"]?.string)
                for sent in queries where sent != made {
                    try server.refused(
                        422, "invalid_query", "GET", "\(path)\(sent)&cursor=\(cursor)")
                }
                // Another fold meanwhile changes nothing.
                _ = try server.client.post("/tasks/c/collapse?folds=alice", #"{"collapsed":false}"#)
                let next = try server.client.get("\(path)\(made)&cursor=\(cursor)")
                let ids = next.json["tasks"]?.array.compactMap { $0["id"]?.string }
                #expect(ids == [made == "&folds=alice" ? "b" : "a1"], "\(next.text)")
                try server.refused(
                    422, "invalid_query", "GET", "/lists/l/sections?cursor=alice@\(cursor)")
            }
            for cursor in ["@1,a", "alice@", "alice@alice@1,a", "alice@1"] {
                try server.refused(
                    422, "invalid_query", "GET", "\(path)&folds=alice&cursor=\(cursor)")
            }
        }
    }

    @Test func wrongFoldsAreRefused() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": Self.list, "m": draft(), "alice": draft()])
            for folds in ["", "a%20b", "%2e%2e"] {
                try server.refused(
                    422, "invalid_query", "GET", "/lists/l/tasks?folds=\(folds)")
            }
            try server.refused(404, "list_not_found", "GET", "/lists/l/tasks?folds=none")
            try server.refused(404, "list_not_found", "POST", "/tasks/a/collapse?folds=none")
            try server.refused(404, "task_not_found", "POST", "/tasks/none/collapse?folds=alice")
            try server.refused(
                422, "invalid_query", "POST", "/lists/l/move?folds=alice",
                #"{"task":"b","toList":"m"}"#, keeping: ["l", "m"])
            #expect(try server.document("alice").contains(#""tasks":[]"#))
        }
    }
}
