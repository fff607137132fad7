import RandomRuns
import Testing

/// The changes of a list, newest first, as they are told to people.
@Suite struct HistoryRequestTests {
    private func page(_ server: ServerUnderTest, _ query: String = "") throws -> JSONValue {
        let answer = try server.client.get("/lists/l/changes?order=desc\(query)")
        try #require(answer.status == 200, "\(answer.text)")
        // It is another one when old changes have been removed, at the same version.
        #expect(answer["ETag"] == nil && answer["Cache-Control"] == "no-store")
        return answer.json
    }

    /// The steps of the last change.
    private func lastSteps(_ server: ServerUnderTest) throws -> JSONValue? {
        try page(server, "&limit=1")["changes"]?[0]?["steps"]
    }

    private func place(
        section: String? = nil, parent: String? = nil, below: String? = nil
    ) -> JSONValue {
        let members = ["section": section, "parent": parent, "below": below]
        return .object(members.compactMapValues { $0.map { .string($0) } })
    }

    @Test(arguments: Setup.all)
    func eachKindOfChangeHasTheTitlesOfItsTime(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c", "x@p", "y@p"])])
            let created = try page(server)
            #expect(created["version"] == 1 && created["list"] == "l")
            #expect(created["before"] == .null)
            let first = try #require(created["changes"]?[0])
            #expect(first["kind"] == "created" && first["mayUndo"] == false)
            #expect(first["stepCount"] == 1)
            #expect(first["steps"] == [["op": "replace", "title": "List"]])

            var made: [JSONValue?] = [first["steps"]]
            for (method, target, body, step) in [
                (
                    "POST", "/lists/l/move", #"{"task":"a","after":"c"}"#,
                    [
                        "op": "move", "task": "a", "title": "a", "from": place(),
                        "to": place(below: "c"),
                    ]
                ),
                (
                    "POST", "/lists/l/move", #"{"task":"b","section":"p","position":1}"#,
                    [
                        "op": "move", "task": "b", "title": "b", "from": place(parent: "a"),
                        "to": place(section: "p", below: "x"),
                    ]
                ),
                (
                    "POST", "/lists/l/tasks", #"{"id":"n","title":"New","parent":"y"}"#,
                    [
                        "op": "insert", "task": "n", "title": "New",
                        "to": place(section: "p", parent: "y"),
                    ]
                ),
                (
                    "PATCH", "/tasks/n", #"{"title":"Newer","done":true,"data":{"k":1}}"#,
                    [
                        "op": "update", "task": "n", "title": "Newer", "oldTitle": "New",
                        "done": true, "data": true,
                    ]
                ),
                (
                    "PATCH", "/tasks/n", #"{"done":false,"locked":true}"#,
                    [
                        "op": "update", "task": "n", "title": "Newer", "done": false,
                        "locked": true,
                    ]
                ),
                (
                    "POST", "/tasks/y/collapse", nil,
                    ["op": "collapse", "task": "y", "title": "y", "collapsed": true]
                ),
                (
                    "DELETE", "/tasks/x", nil,
                    ["op": "delete", "task": "x", "title": "x", "from": place(section: "p")]
                ),
                (
                    "PATCH", "/lists/l", #"{"title":"T"}"#,
                    ["op": "list", "title": "T", "oldTitle": "List"]
                ),
                (
                    "PATCH", "/lists/l", #"{"elementsOffset":1}"#,
                    ["op": "list", "title": "T", "settings": true]
                ),
                (
                    "POST", "/lists/l/sections", #"{"id":"q","title":"Q"}"#,
                    ["op": "section-insert", "section": "q", "title": "Q"]
                ),
                (
                    "PATCH", "/lists/l/sections/q", #"{"title":"R"}"#,
                    ["op": "section-update", "section": "q", "title": "R", "oldTitle": "Q"]
                ),
                (
                    "PATCH", "/lists/l/sections/q", #"{"data":1}"#,
                    ["op": "section-update", "section": "q", "title": "R", "data": true]
                ),
                (
                    "POST", "/lists/l/sections/q/move", #"{"position":0}"#,
                    ["op": "section-move", "section": "q", "title": "R"]
                ),
                (
                    "DELETE", "/lists/l/sections/q", nil,
                    ["op": "section-delete", "section": "q", "title": "R"]
                ),
            ] as [(String, String, String?, [String: JSONValue])] {
                let answer = try server.client.send(method, target, body)
                #expect(answer.status < 300, "\(target) \(answer.text)")
                #expect(try lastSteps(server) == [.object(step)], "\(target)")
                #expect(try page(server, "&limit=1")["changes"]?[0]?["mayUndo"] == true)
                made.insert([.object(step)], at: 0)
            }
            let all = try page(server)
            #expect(all["changes"]?.array.map { $0["steps"] } == made)
            try server.reopen()
            #expect(try page(server) == all)
            let version = all["version"]?.int ?? 0
            for method in ["PATCH", "DELETE"] {
                let title = method == "PATCH" ? #"{"title":"renamed"}"# : nil
                let unlocked = #"{"title":"renamed","elementsOffset":0}"#
                #expect(try server.client.send("PATCH", "/lists/l", unlocked).status == 200)
                let free = #"{"locked":false}"#
                #expect(try server.client.send("PATCH", "/tasks/n", free).status == 200)
                for target in ["n", "a", "b", "c", "y"].map({ "/tasks/\($0)" })
                    + ["/lists/l/sections/p"]
                {
                    let answer = try server.client.send(method, target, title)
                    #expect(answer.status < 300, "\(method) \(target): \(answer.text)")
                }
                let past = try page(server, "&before=\(versionToken(version + 1))")
                #expect(past["changes"] == all["changes"], "\(method)")
            }
        }
    }

    @Test(arguments: Setup.once)
    func aChangeHasAtMostTenSteps(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft()])
            for (count, steps) in [(8, 9), (9, 10), (10, 10), (3_000, 10)] {
                let tasks = (0..<count).map { "\(count)t\($0)" }
                let list = draft(tasks.map { "\($0)@s" })
                let put = try server.client.put("/lists/l", list, ["If-Match": "*"])
                #expect(put.status == 200, "\(put.text)")
                _ = try server.client.send("DELETE", "/lists/l/sections/s?tasks=delete")
                let last = try page(server, "&limit=1")["changes"]?[0]
                #expect(last?["stepCount"]?.int == count + 1)
                #expect(last?["steps"]?.array.count == steps)
                #expect(last?["steps"]?[0]?["title"]?.string == tasks[0])
            }
        }
    }

    @Test(arguments: Setup.once)
    func invalidRequestsAreRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"]), "other": draft(["b"])])
            for query in [
                "order=up", "order=", "order=asc&before=\(versionToken(1))",
                "before=\(versionToken(1))", "order=desc&since=\(versionToken(1))",
                "order=desc&wait=1", "order=desc&limit=0", "order=desc&limit=101",
                "order=desc&before=x", "order=desc&before=-1", "order=desc&before=2",
            ] {
                try server.refused(422, "invalid_query", "GET", "/lists/l/changes?\(query)")
            }
            for token in [versionToken(3), "2-ffffffffffff"] {
                try server.refused(
                    410, "history_gone", "GET", "/lists/l/changes?order=desc&before=\(token)")
            }
            #expect(try page(server, "&limit=100&before=\(versionToken(2))")["version"] == 1)
            #expect(try page(server, "&before=\(versionToken(1))")["changes"] == [])
            #expect(try page(server, "&before=0")["changes"] == [])
            #expect(try server.client.get("/lists/l/changes?order=asc").json["more"] == false)
            try server.refused(404, "list_not_found", "GET", "/lists/none/changes?order=desc")
        }
    }

    @Test(arguments: Setup.all)
    func aDeletedListHasItsHistory(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            _ = try server.client.send("DELETE", "/tasks/a")
            _ = try server.client.send("DELETE", "/lists/l")
            let deleted = try page(server)
            #expect(deleted["changes"]?.array.map { $0["version"] } == [3, 2, 1])
            #expect(deleted["changes"]?[0]?["kind"] == "deleted")
            #expect(deleted["changes"]?[0]?["mayUndo"] == false)
            #expect(deleted["changes"]?[0]?["steps"] == [["op": "replace", "title": "List"]])
            #expect(deleted["changes"]?[1]?["steps"]?[0]?["title"] == "a")
            _ = try server.client.post("/lists/l/restore")
            let restored = try page(server)
            #expect(restored["changes"]?.array.map { $0["version"] } == [4, 3, 2, 1])
            #expect(restored["changes"]?[0]?["kind"] == "created")
            // The snapshots before the deletion are gone: these titles are those of the list now.
            #expect(restored["changes"]?[2]?["steps"] == [["op": "delete", "task": "a"]])
            #expect(restored["changes"]?[2]?["mayUndo"] == false)
        }
    }

    /// Changes that are older than the snapshots have the titles of now, without places.
    @Test(arguments: Setup.all)
    func olderChangesHaveTheTitlesOfNow(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            _ = try server.client.post("/lists/l/move", #"{"task":"a","after":"b"}"#)
            _ = try server.client.send("PATCH", "/tasks/a", #"{"title":"A"}"#)
            let data = String(repeating: "x", count: 8_000)
            for number in 4...22 {
                let body = #"{"data":{"text":"\#(number)\#(data)"}}"#
                #expect(try server.client.send("PATCH", "/tasks/b", body).status == 200)
            }
            let changes = try page(server)["changes"]?.array ?? []
            #expect(changes.map { $0["version"]?.int } == (1...22).reversed())
            #expect(changes[0]["mayUndo"] == true)
            #expect(changes[20]["steps"] == [["op": "move", "task": "a", "title": "A"]])
            #expect(changes[20]["mayUndo"] == false)
            try server.pruneHistory()
            let kept = try page(server, "&limit=100")
            let versions = kept["changes"]?.array.compactMap { $0["version"]?.int } ?? []
            #expect(versions == ((versions.last ?? 0)...22).reversed() && versions.count < 22)
            #expect(kept["before"] == .null)
        }
    }

    @Test(arguments: Setup.once)
    func theOtherListOfATransferIsOnlyShownToItsReaders(setup: Setup) throws {
        let control = try TestTokens.control(TestTokens.keys.get())
        try withServer(setup, access: control) { server throws in
            let owner = server.client(with: "admin")
            for (list, document) in ["mine": draft(["a"]), "other": draft(["x"])] {
                #expect(try owner.put("/lists/\(list)", document).status == 201)
            }
            _ = try owner.post("/lists/mine/move", #"{"task":"a","toList":"other"}"#)
            for (token, other) in [("read", "other"), ("read:mine*,l", nil)] {
                let change = try server.client(with: token)
                    .get("/lists/mine/changes?order=desc&limit=1").json["changes"]?[0]
                #expect(change?["toList"]?.string == other, "\(token)")
                #expect(change?["by"] == "admin" && change?["mayUndo"] == false)
            }
        }
    }

    // MARK: Random changes

    /// The titles and places are compared with the documents of each version.
    @Test(arguments: Setup.oneServer.filter { $0.transport == .inProcess })
    func randomChangesHaveTheTitlesOfTheirTime(setup: Setup) throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c", "d@s", "e<d", "f<e", "g@s", "h@t", "i"])])
            let client = server.uncheckedClient
            var documents = [1: try client.get("/lists/l").json]
            var made = 0
            while documents.count < 200 {
                let tasks = documents[documents.count]?["tasks"]?.array ?? []
                let ids = tasks.compactMap { $0["id"]?.string }
                made += 1
                guard !ids.isEmpty else {
                    _ = try client.post("/lists/l/tasks", #"{"id":"n\#(made)","title":"n"}"#)
                    documents[documents.count + 1] = try client.get("/lists/l").json
                    continue
                }
                let one = ids[random.below(ids.count)]
                let other = ids[random.below(ids.count)]
                let title = "\(made)" + String(repeating: "-", count: random.below(500))
                let answer =
                    switch random.below(6) {
                    case 0: try client.send("PATCH", "/tasks/\(one)", #"{"title":"\#(title)"}"#)
                    case 1: try client.send("DELETE", "/tasks/\(one)")
                    case 2:
                        try client.post(
                            "/lists/l/tasks",
                            #"{"id":"n\#(made)","title":"\#(title)","parent":"\#(one)"}"#)
                    case 3:
                        try client.post(
                            "/lists/l/move", #"{"task":"\#(one)","parent":"\#(other)"}"#)
                    default:
                        try client.post("/lists/l/move", #"{"task":"\#(one)","after":"\#(other)"}"#)
                    }
                guard answer.status < 300 else { continue }
                let document = try client.get("/lists/l").json
                let version = document["version"]?.int ?? 0
                if version > documents.count { documents[version] = document }
            }
            var next = documents.count + 1
            var exact = 0
            while next > 1 {
                let limit = 1 + random.below(40)
                let part = try page(server, "&limit=\(limit)&before=\(versionToken(next))")
                let changes = part["changes"]?.array ?? []
                #expect(changes.count == min(limit, next - 1))
                for change in changes {
                    next -= 1
                    #expect(change["version"]?.int == next)
                    guard change["mayUndo"] == true else { continue }
                    exact += 1
                    let wanted = try #require(steps(change, documents[next - 1], documents[next]))
                    #expect(change["steps"] == wanted, "version \(next), REORDERD_SEED=\(seed)")
                }
                #expect(part["before"] == (next > 1 ? .string(versionToken(next)) : .null))
            }
            #expect(exact > 20, "REORDERD_SEED=\(seed)")
        }
    }

    /// The steps of a change with their titles and places, from the documents before and after it.
    private func steps(
        _ change: JSONValue, _ before: JSONValue?, _ after: JSONValue?
    ) -> JSONValue? {
        guard let before, let after, let steps = change["steps"]?.array else { return nil }
        return .array(
            steps.map { step in
                var wanted: [String: JSONValue] = [:]
                for name in ["op", "task", "collapsed"] { wanted[name] = step[name] }
                let id = step["task"]?.string ?? ""
                wanted["title"] = task(id, step["op"] == "delete" ? before : after)?["title"]
                if step["op"] == "update" { wanted["oldTitle"] = task(id, before)?["title"] }
                if step["op"] == "move" || step["op"] == "delete" {
                    wanted["from"] = place(of: id, before)
                }
                if step["op"] == "move" || step["op"] == "insert" {
                    wanted["to"] = place(of: id, after)
                }
                return .object(wanted)
            })
    }

    private func task(_ id: String, _ document: JSONValue) -> JSONValue? {
        document["tasks"]?.array.first { $0["id"]?.string == id }
    }

    private func place(of id: String, _ document: JSONValue) -> JSONValue? {
        guard let task = task(id, document) else { return nil }
        let above = document["tasks"]?.array.first {
            $0["parent"] == task["parent"] && $0["section"] == task["section"]
                && $0["position"]?.int == (task["position"]?.int ?? 0) - 1
        }
        let section = document["sections"]?.array.first { $0["id"] == task["section"] }
        return place(
            section: section?["title"]?.string,
            parent: task["parent"]?.string.flatMap { self.task($0, document)?["title"]?.string },
            below: above?["title"]?.string)
    }
}
