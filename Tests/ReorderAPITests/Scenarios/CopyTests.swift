import ReorderService
import Testing

@Suite struct CopyTests {
    /// A task's members besides its ids.
    private func content(_ task: JSONValue) -> JSONValue {
        var members = task.object
        members["id"] = nil
        members["parent"] = nil
        return .object(members)
    }

    @Test(arguments: Setup.all)
    func aTaskIsCopiedWithItsSubtasks(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c<b", "d<c", "e<b", "f@s"])])
            let patch = #"{"done":true,"locked":true,"data":{"x":1},"title":"Ç"}"#
            _ = try server.client.send("PATCH", "/tasks/c", patch)
            _ = try server.client.post("/tasks/b/collapse")
            let before = try server.client.get("/lists/l").json["tasks"]?.array ?? []
            let answer = try server.client.post("/tasks/b/copy", #"{"id":"copy"}"#)
            #expect(answer.status == 201 && answer["Location"] == "/tasks/copy")
            #expect(answer["ETag"] == entityTag(4, in: "l"))
            #expect(answer.json["version"] == 4 && answer.json["changed"] == true)
            #expect(answer.json["task"] == (try server.client.get("/tasks/copy").json))
            let document = try server.client.get("/lists/l").json
            #expect(document["count"] == 10)
            let tasks = document["tasks"]?.array ?? []
            #expect(tasks.count == 10 && Set(tasks.map { $0["id"]?.string }).count == 10)
            // The copy is the next sibling of the original.
            #expect(tasks[1...4].map { $0["id"] } == ["b", "c", "d", "e"])
            #expect(tasks[5]["id"] == "copy" && tasks[5]["position"] == 2)
            for index in 1...4 {
                var copy = content(tasks[index + 4]).object
                var original = content(before[index]).object
                if index == 1 { (copy["position"], original["position"]) = (nil, nil) }
                (copy["row"], original["row"]) = (nil, nil)
                #expect(copy == original)
            }
            #expect(tasks[6]["parent"] == "copy" && tasks[7]["parent"] == tasks[6]["id"])
            #expect(tasks[8]["parent"] == "copy")
            // It is one change of insertions, which clients fold, and it can be undone.
            let change = try server.client.get("/lists/l/changes?since=\(versionToken(3))").json[
                "changes"]?[0]
            #expect(change?["ops"]?.array.map { $0["op"] } == Array(repeating: "insert", count: 4))
            let undo = try server.client.post("/lists/l/undo", #"{"version":4}"#)
            #expect(undo.status == 200)
            #expect(try server.client.get("/lists/l").json["tasks"] == .array(before))
        }
    }

    @Test(arguments: Setup.all)
    func aCopyGoesToADestination(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c@s"]), "m": draft(["x", "y<x"])])
            for (number, (body, order)) in [
                (#""parent":"b""#, ["a", "b", "n0", "c"]),
                (#""section":"s","position":0"#, ["a", "b", "n0", "n1", "c"]),
                (#""after":"gone","before":"a""#, ["n2", "a", "b", "n0", "n1", "c"]),
            ].enumerated() {
                let answer = try server.client.post(
                    "/tasks/n0/copy".replacing("n0", with: number == 0 ? "c" : "n0"),
                    #"{"id":"n\#(number)",\#(body)}"#)
                #expect(answer.status == 201, "\(answer.text)")
                #expect(try server.order() == order)
            }
            let other = try server.client.post(
                "/tasks/a/copy", #"{"id":"z","toList":"m","after":"y"}"#)
            #expect(other.status == 201 && other["ETag"] == entityTag(2, in: "m"))
            #expect(other.json["list"] == "m" && other.json["version"] == 2)
            #expect(try server.order("m").prefix(3) == ["x", "y", "z"])
            #expect(try server.order("m").count == 5)
            let end = try server.client.post("/tasks/c/copy", #"{"id":"q","toList":"m"}"#)
            #expect(end.json["task"]?["section"] == .null)
            #expect(try server.order("m").last == "q")
            #expect(try server.client.get("/lists/l").json["version"] == 4)
            let undo = try server.client.post("/lists/m/undo", #"{"version":2}"#)
            #expect(undo.json["deleted"]?.array.count == 3)
            // Into its own subtree: only what was there before is copied.
            _ = try server.client.post("/tasks/y/copy", #"{"id":"y2","parent":"y"}"#)
            #expect(try server.order("m") == ["x", "y", "y2", "q"])
        }
    }

    @Test(arguments: Setup.all)
    func aListIsCopied(setup: Setup) throws {
        try withServer(setup) { server throws in
            let members = #""elementsOffset":1,"moves":"siblings","collapseSubElements":true"#
            try server.make(["l": draft(["a", "b<a", "c@s", "d@t"], members)])
            _ = try server.client.send("PATCH", "/tasks/b", #"{"done":true,"data":[1]}"#)
            let answer = try server.client.post(
                "/lists/l/copy", #"{"id":"m","title":"Copy"}"#, ["If-Match": entityTag(2)])
            #expect(answer.status == 201 && answer["Location"] == "/lists/m")
            #expect(answer.json == ["list": "m", "version": 1, "changed": true])
            let original = try server.client.get("/lists/l").json
            let copy = try server.client.get("/lists/m").json
            #expect(copy["title"] == "Copy" && original["title"] == "List")
            for name in ["elementsOffset", "moves", "collapseSubElements", "sections", "count"] {
                #expect(copy[name] == original[name])
            }
            let (tasks, originals) = (copy["tasks"]?.array ?? [], original["tasks"]?.array ?? [])
            #expect(tasks.map(content) == originals.map(content))
            #expect(tasks.count == 4 && tasks[1]["parent"] == tasks[0]["id"])
            #expect(Set((tasks + originals).map { $0["id"]?.string }).count == 8)
            // The server chooses the id and keeps the title.
            let plain = try server.client.post("/lists/l/copy")
            let path = try #require(plain["Location"])
            #expect(plain.status == 201)
            #expect(try server.client.get(path).json["title"] == "List")
            #expect(try server.client.delete(path).status == 204)
        }
    }

    @Test(arguments: Setup.all)
    func aDryRunCopiesNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a"])])
            let before = try server.document("l")
            for _ in 0..<2 {
                let task = try server.client.post("/tasks/a/copy?dryRun=true", #"{"id":"x"}"#)
                #expect(task.status == 200 && task["Location"] == nil && task["ETag"] == nil)
                #expect(task.json["dryRun"] == true && task.json["version"] == 1)
                #expect(task.json["task"]?["position"] == 1)
                let list = try server.client.post("/lists/l/copy?dryRun=true", #"{"id":"m"}"#)
                #expect(list.status == 200 && list["Location"] == nil)
                let dry: JSONValue = ["list": "m", "version": 0, "changed": true, "dryRun": true]
                #expect(list.json == dry)
            }
            #expect(try server.document("l") == before)
            #expect(try server.client.get("/lists/m").status == 404)
        }
    }

    @Test(arguments: Setup.all)
    func aRepeatedCopyIsMadeOnce(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"]), "m": draft()])
            for (path, body) in [
                ("/tasks/a/copy", ""), ("/tasks/a/copy", #"{"toList":"m"}"#), ("/lists/l/copy", ""),
            ] {
                let key = ["Idempotency-Key": "\(path)\(body.count)"]
                let first = try server.client.post(path, body.isEmpty ? nil : body, key)
                let again = try server.client.post(path, body.isEmpty ? nil : body, key)
                #expect(first.status == 201 && again.status == 201)
                #expect(first.body == again.body && first["Location"] == again["Location"])
                #expect(again["Idempotent-Replay"] == "true")
            }
            #expect(try server.order("l").count == 2)
            #expect(try server.order("m").count == 1)
            #expect(try server.client.get("/lists").json["lists"]?.array.count == 3)
        }
    }

    @Test(arguments: Setup.once)
    func badCopiesAreRefused(setup: Setup) throws {
        try withServer(setup, tasksPerList: 4) { server throws in
            try server.make([
                "l": draft(["a", "b<a", "c"], #""elementsOffset":1"#), "m": draft(["x"]),
            ])
            let cases: [(Int, String, String, String)] = [
                (404, "task_not_found", "/tasks/none/copy", "{}"),
                (404, "list_not_found", "/lists/none/copy", "{}"),
                (404, "list_not_found", "/tasks/a/copy", #"{"toList":"none"}"#),
                (409, "anchor_gone", "/tasks/a/copy", #"{"after":"none"}"#),
                (409, "locked", "/tasks/c/copy", #"{"before":"a"}"#),
                (409, "id_taken", "/tasks/c/copy", #"{"id":"a"}"#),
                (409, "id_taken", "/tasks/c/copy", #"{"id":"x"}"#),
                (409, "id_taken", "/lists/l/copy", #"{"id":"m"}"#),
                (409, "id_taken", "/lists/l/copy", #"{"id":"l"}"#),
                (409, "list_full", "/tasks/a/copy", #"{"after":"c"}"#),
                (422, "invalid_body", "/tasks/a/copy", #"{"id":"/"}"#),
                (422, "invalid_body", "/tasks/a/copy", #"{"title":"x"}"#),
                (422, "invalid_body", "/lists/l/copy", #"{"tasks":[]}"#),
                (422, "invalid_query", "/lists/l/copy?dryRun=1", "{}"),
            ]
            for (status, code, path, body) in cases {
                try server.refused(status, code, "POST", path, body, keeping: ["l", "m"])
            }
            for path in ["/tasks/c/copy", "/lists/l/copy"] {
                try server.refused(
                    412, "version_mismatch", "POST", path, "{}", ["If-Match": entityTag(7)])
            }
            // The last one that fits.
            #expect(try server.client.post("/tasks/b/copy").status == 201)
            #expect(try server.client.post("/tasks/b/copy").code == "list_full")
            #expect(try server.client.post("/tasks/c/copy", #"{"toList":"m"}"#).status == 201)
        }
    }

    @Test(arguments: Setup.oneServer)
    func aLargeCopyLeavesTheEventLoop(setup: Setup) throws {
        try withServer(setup) { server throws in
            let count = ServiceLimits().tasksOnLoop + 1
            let tasks = ["a"] + (1..<count).map { "t\($0)<a" }
            try server.make(["l": draft(tasks), "m": draft()])
            #expect(try server.client.post("/lists/l/copy", #"{"id":"n"}"#).status == 201)
            #expect(try server.client.post("/tasks/a/copy", #"{"toList":"m"}"#).status == 201)
            #expect(try server.client.post("/tasks/a/copy").status == 201)
            for (list, tasks) in [("l", 2 * count), ("m", count), ("n", count)] {
                #expect(try server.client.get("/lists/\(list)").json["count"] == .int(tasks))
            }
        }
    }
}
