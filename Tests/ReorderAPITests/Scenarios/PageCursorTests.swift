import RandomRuns
import Testing

/// A client reads pages while the list changes.
@Suite struct PageCursorTests {
    @Test(arguments: Setup.all)
    func theLastTaskOfAPageMovesOrIsDeleted(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c<b", "d", "e", "f@s"])])
            let client = server.client
            let path = "/lists/l/tasks?limit=3"
            let cursor = try #require(try client.get(path).cursor)
            func rest() throws -> [String] {
                try client.pages(path, from: cursor).flatMap(\.taskIDs)
            }
            // The first page has a, b and c.
            _ = try client.post("/lists/l/move", #"{"task":"c","after":"e"}"#)
            #expect(try rest() == ["d", "e", "c", "f"])
            _ = try client.delete("/tasks/b")
            #expect(try rest() == ["d", "e", "c", "f"])
            _ = try client.post("/lists/l/tasks", #"{"id":"x","title":"x","before":"a"}"#)
            _ = try client.post("/lists/l/tasks", #"{"id":"y","title":"y","after":"a"}"#)
            #expect(try rest() == ["y", "d", "e", "c", "f"])
            // With a, all tasks of the page were moved.
            _ = try client.post("/lists/l/move", #"{"task":"a","after":"e"}"#)
            let answer = try client.get("\(path)&cursor=\(cursor)")
            #expect(answer.status == 410 && answer.code == "history_gone")
            #expect(answer.json["version"] == 6)
        }
    }

    @Test(arguments: Setup.all)
    func aReplacedOrRecreatedListHasNoPlace(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            try server.make(["l": draft(["a", "b"])])
            let cursor = try #require(try client.get("/lists/l/tasks?limit=1").cursor)
            // No operation changes the time at which a list was created.
            let replaced = draft(["a", "b", "c"], #""createdAt":"2001-01-01T00:00:00Z""#)
            _ = try client.put("/lists/l", replaced, ["If-Match": "*"])
            for path in ["/lists/l/tasks?cursor=\(cursor)", "/tasks?cursor=l,\(cursor)"] {
                try server.refused(410, "history_gone", "GET", path)
            }
            _ = try client.delete("/lists/l")
            #expect(try client.get("/lists/l/tasks?cursor=\(cursor)").status == 404)
            let rest = try client.get("/tasks?cursor=l,\(cursor)")
            #expect(rest.json == ["tasks": [], "cursor": nil])
        }
    }

    @Test func aCursorIsValidForALimitedNumberOfChanges() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let cursor = try #require(try server.client.get("/lists/l/tasks?limit=1").cursor)
            let path = "/lists/l/tasks?cursor=\(cursor)"
            for number in 1...1_000 {
                let done = number % 2 == 1
                _ = try server.client.send("PATCH", "/tasks/b", #"{"done":\#(done)}"#)
            }
            #expect(try server.client.get(path).taskIDs == ["b"])
            _ = try server.client.send("PATCH", "/tasks/b", #"{"done":true}"#)
            try server.refused(410, "history_gone", "GET", path)
        }
    }

    @Test func aCursorIsValidForALimitedSizeOfChanges() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let cursor = try #require(try server.client.get("/lists/l/tasks?limit=1").cursor)
            let path = "/lists/l/tasks?cursor=\(cursor)"
            let title = String(repeating: "x", count: 4_000)
            func change() throws {
                let ops = (0..<300).map { _ in #"{"op":"create","title":"\#(title)"}"# }
                let body = #"{"ops":[\#(ops.joined(separator: ","))]}"#
                #expect(try server.client.post("/lists/l/batch", body).status == 200)
            }
            // A single change may be larger than 1 MiB.
            try change()
            #expect(try server.client.get(path).taskIDs.first == "b")
            try change()
            try server.refused(410, "history_gone", "GET", path)
        }
    }

    /// Each task that exists all the time and is not moved is on exactly one page.
    @Test func noTaskIsMissedOrRepeated() throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        let runs = max(20, RandomRun.operations(4_000) / 100)
        var complete = 0
        for _ in 0..<runs {
            try withServer(.inProcess) { server throws in
                if try check(server, &random, "REORDERD_SEED=\(seed)") { complete += 1 }
            }
        }
        #expect(complete > runs / 4, "REORDERD_SEED=\(seed) too few readers reached the end")
    }

    /// - Returns: whether the reader reached the last page.
    private func check(
        _ server: ServerUnderTest, _ random: inout SeededGenerator, _ comment: Comment
    ) throws -> Bool {
        let client = server.client
        var tasks: [String] = []
        for number in 0..<60 {
            let isNested = number >= 3 && random.chance(60)
            let place =
                isNested ? "<t\(random.below(min(number, 15)))" : "@s\(number % 3)"
            tasks.append("t\(number)" + place)
        }
        try server.make(["l": draft(tasks)])
        let queries = ["", "visible=true&", "parent=&", "section=s1&", "parent=t0&", "done=false&"]
        let query = queries[random.below(queries.count)]
        let path = "/lists/l/tasks?limit=\(1 + random.below(12))&\(query)"
        let wanted = try client.pages("/lists/l/tasks?limit=1000&\(query)").flatMap(\.taskIDs)
        var moved: Set<String> = []
        var found: [String] = []
        var cursor: String?
        repeat {
            let page = try client.get(path + (cursor.map { "cursor=\($0)" } ?? ""))
            // All tasks of a mark were moved, or the parent was deleted.
            if page.status == 410 || page.status == 404 { return false }
            try #require(page.status == 200, "\(comment) \(page.text)")
            found += page.taskIDs
            cursor = page.cursor
            for _ in 0..<random.below(5) { try change(client, &random, &moved) }
        } while cursor != nil
        for task in wanted where !moved.contains(task) {
            #expect(found.count { $0 == task } == 1, "\(comment) \(task) \(query)")
        }
        return true
    }

    /// Sends a random change, and adds the tasks that it moves or deletes.
    private func change(
        _ client: any APIClient, _ random: inout SeededGenerator, _ moved: inout Set<String>
    ) throws {
        let before = try client.get("/lists/l").json["tasks"]?.array ?? []
        let parents = Dictionary(
            uniqueKeysWithValues: before.map { ($0["id"]?.string ?? "", $0["parent"]?.string) })
        let ids = before.compactMap { $0["id"]?.string }
        guard !ids.isEmpty else { return }
        let (task, other) = (ids[random.below(ids.count)], ids[random.below(ids.count)])
        func isInside(_ id: String) -> Bool {
            var current: String? = id
            while let id = current {
                if id == task { return true }
                current = parents[id] ?? nil
            }
            return false
        }
        switch random.below(6) {
        case 0, 1, 2:
            let place = ["after", "before", "parent"][random.below(3)]
            let body = #"{"task":"\#(task)","\#(place)":"\#(other)"}"#
            let answer = try client.post("/lists/l/move", body)
            if answer.json["changed"] == true { moved.formUnion(ids.filter(isInside)) }
        case 3:
            _ = try client.delete("/tasks/\(task)")
            moved.formUnion(ids.filter(isInside))
        case 4:
            _ = try client.post("/lists/l/tasks", #"{"title":"new","after":"\#(task)"}"#)
        default:
            let section = "s\(random.below(3))"
            let body = #"{"position":\#(random.below(3))}"#
            let answer = try client.post("/lists/l/sections/\(section)/move", body)
            guard answer.json["changed"] == true else { return }
            moved.formUnion(
                before.filter { $0["section"]?.string == section }.compactMap { $0["id"]?.string })
        }
    }
}
