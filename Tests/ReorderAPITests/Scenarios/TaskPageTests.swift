import Testing

/// Pages of a list's tasks and sections.
@Suite struct TaskPageTests {
    @Test(arguments: Setup.all)
    func aPageHasTheTasksThatMatch(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c<b", "d<c", "e@s", "f<e", "g@s", "h@t"])])
            _ = try server.client.post("/tasks/b/collapse")
            for (id, title) in [("a", "Milk"), ("d", "MILK powder"), ("f", "café")] {
                _ = try server.client.send("PATCH", "/tasks/\(id)", #"{"title":"\#(title)"}"#)
            }
            for id in ["b", "f"] {
                _ = try server.client.send("PATCH", "/tasks/\(id)", #"{"done":true}"#)
            }
            func ids(_ query: String) throws -> [String] {
                let page = try server.client.get("/lists/l/tasks?\(query)")
                #expect(page.status == 200 && page.cursor == nil, "\(page.text)")
                #expect(page.json["list"] == "l" && page.json["version"] == 7)
                #expect(page["ETag"] == entityTag(7) && page["Cache-Control"] == "no-cache")
                return page.taskIDs
            }
            #expect(try ids("") == ["a", "b", "c", "d", "e", "f", "g", "h"])
            #expect(try ids("done=false") == ["a", "c", "d", "e", "g", "h"])
            #expect(try ids("done=true") == ["b", "f"])
            #expect(try ids("q=milk") == ["a", "d"])
            #expect(try ids("q=CAFE%CC%81") == ["f"])
            #expect(try ids("q=milk&visible=true") == ["a"])
            #expect(try ids("visible=true") == ["a", "b", "e", "f", "g", "h"])
            #expect(try ids("section=s") == ["e", "f", "g"])
            #expect(try ids("section=") == ["a", "b", "c", "d"])
            #expect(try ids("section=s&parent=") == ["e", "g"])
            #expect(try ids("parent=") == ["a", "b", "e", "g", "h"])
            #expect(try ids("parent=b") == ["c"])
            #expect(try ids("parent=b&visible=true") == [])
            #expect(try ids("parent=a") == [])
            // A page has the tasks of the document.
            let document = try server.client.get("/lists/l").json
            #expect(try server.client.get("/lists/l/tasks").json["tasks"] == document["tasks"])
            let unchanged = try server.client.get(
                "/lists/l/tasks?q=milk", ["If-None-Match": entityTag(7)])
            #expect(unchanged.status == 304 && unchanged["ETag"] == entityTag(7))
        }
    }

    @Test(arguments: Setup.all)
    func aPageHasTheTasksThatWereChangedSinceATime(setup: Setup) throws {
        try withServer(setup) { server throws in
            let tasks =
                #"{"id":"a","title":"A","updatedAt":"2020-01-01T00:00:00Z"},"#
                + #"{"id":"b","title":"B","updatedAt":"2021-01-01T00:00:00Z"},"#
                + #"{"id":"c","title":"C"}"#
            try server.make(["l": #"{"title":"L","tasks":[\#(tasks)]}"#])
            func ids(_ time: String) throws -> [String] {
                let page = try server.client.get("/lists/l/tasks?updatedSince=\(time)")
                let found = try server.client.get("/tasks?updatedSince=\(time)")
                #expect(found.taskIDs == page.taskIDs)
                return page.taskIDs
            }
            #expect(try ids("2019-12-31T00:00:00Z") == ["a", "b", "c"])
            #expect(try ids("2021-01-01T00:00:00Z") == ["b", "c"])
            #expect(try ids("2021-01-01T01:00:00%2B01:00") == ["b", "c"])
            #expect(try ids("2021-01-01T00:00:00.001Z") == ["c"])
            #expect(try ids("9999-12-31T23:59:59Z") == [])
            _ = try server.client.send("PATCH", "/tasks/a", #"{"done":true}"#)
            #expect(try ids("2021-01-01T00:00:00.001Z") == ["a", "c"])
            try server.refused(
                422, "invalid_query", "GET", "/lists/l/tasks?updatedSince=2021-01-01")
        }
    }

    @Test(arguments: Setup.all)
    func aPageHasTheMembersThatTheClientAsksFor(setup: Setup) throws {
        try withServer(setup) { server throws in
            let task = #"{"id":"a","title":"A","data":{"x":1}},{"id":"b","title":"B"}"#
            try server.make([
                "l": #"{"title":"L","elementsOffset":1,"tasks":[\#(task)]}"#
            ])
            func tasks(_ query: String) throws -> JSONValue? {
                try server.client.get(query).json["tasks"]
            }
            #expect(
                try tasks("/lists/l/tasks?fields=title,id,done,id")
                    == [
                        ["id": "a", "title": "A", "done": false],
                        ["id": "b", "title": "B", "done": false],
                    ])
            #expect(
                try tasks("/lists/l/tasks?fields=data,lockedByOffset,row")
                    == [["data": ["x": 1], "lockedByOffset": true, "row": 0], ["row": 1]])
            #expect(
                try tasks("/tasks?fields=list,id") == [
                    ["list": "l", "id": "a"], ["list": "l", "id": "b"],
                ])
            // All members are the members without this parameter.
            let all =
                "id,title,section,parent,position,row,depth,collapsed,locked,done,lockedByOffset,"
                + "subtasks,createdAt,updatedAt,completedAt,data"
            let document = try server.client.get("/lists/l").json
            #expect(try tasks("/lists/l/tasks?fields=\(all)") == document["tasks"])
            #expect(try tasks("/tasks?fields=list,\(all)") == (try tasks("/tasks")))
            for query in ["", "Id", "id,", "id,list", "id, title"] {
                let path = "/lists/l/tasks?fields=\(query.replacing(" ", with: "%20"))"
                try server.refused(422, "invalid_query", "GET", path)
            }
        }
    }

    @Test(arguments: Setup.all)
    func sectionsAreReturnedInPages(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a@s", "b@s", "c@t", "d@u"])])
            let all = try server.client.get("/lists/l/sections")
            #expect(all.json["sections"] == (try server.client.get("/lists/l").json["sections"]))
            #expect(all.json["cursor"] == .null && all.json["version"] == 1)
            #expect(all["ETag"] == entityTag(1))
            #expect(
                try server.client.get("/lists/l/sections", ["If-None-Match": entityTag(1)]).status
                    == 304)
            let first = try server.client.get("/lists/l/sections?limit=2")
            #expect(first.json["sections"]?.array.compactMap { $0["id"]?.string } == ["s", "t"])
            // The last section of the page moves; the section before it does not.
            let cursor = try #require(first.cursor)
            _ = try server.client.post("/lists/l/sections/t/move", #"{"position":2}"#)
            let next = try server.client.get("/lists/l/sections?limit=2&cursor=\(cursor)")
            #expect(next.json["sections"]?.array.compactMap { $0["id"]?.string } == ["u", "t"])
            #expect(next.cursor == nil)
            try server.refused(422, "invalid_query", "GET", "/lists/l/sections?limit=0")
            try server.refused(404, "list_not_found", "GET", "/lists/none/sections")
        }
    }

    @Test func aPageOfSectionsEndsAfterALimitOfData() throws {
        try withServer(Setup.all[0]) { server throws in
            let data = #""\#(String(repeating: "x", count: 8_000))""#
            let sections = (0..<300).map { #"{"id":"s\#($0)","title":"","data":\#(data)}"# }
            let list = #"{"title":"l","tasks":[],"sections":[\#(sections.joined(separator: ","))]}"#
            #expect(try server.client.put("/lists/l", list).status == 201)
            let pages = try server.client.pages("/lists/l/sections?limit=300")
            #expect(pages.allSatisfy { $0.body.count < 1_100_000 })
            let ids = pages.flatMap {
                $0.json["sections"]?.array.compactMap { $0["id"]?.string } ?? []
            }
            #expect(ids == (0..<300).map { "s\($0)" })
        }
    }

    @Test(arguments: Setup.once)
    func badQueriesAreRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b@s"])])
            let cursor = try #require(try server.client.get("/lists/l/tasks?limit=1").cursor)
            let first = versionToken(1)
            #expect(cursor == "\(first),a")
            let long = String(repeating: "x", count: 256)
            for query in [
                "done=yes", "done=", "visible=1", "limit=0", "limit=1001", "q=", "q=\(long)x",
                "cursor=", "cursor=\(first)", "cursor=1,a", "cursor=,a", "cursor=\(first),%2F",
                "cursor=a,a",
                "cursor=\(first),a,a,a,a,a,a,a,a,a", "section=s&parent=a", "title=a",
            ] {
                try server.refused(422, "invalid_query", "GET", "/lists/l/tasks?\(query)")
            }
            for query in [
                "limit=1", "limit=1000", "q=\(long)", "cursor=\(first),a,b,a,b,a,b,a,b",
            ] {
                #expect(try server.client.get("/lists/l/tasks?\(query)").status == 200)
            }
            try server.refused(404, "section_not_found", "GET", "/lists/l/tasks?section=t")
            try server.refused(404, "task_not_found", "GET", "/lists/l/tasks?parent=c")
            try server.refused(404, "list_not_found", "GET", "/lists/none/tasks")
            // Places that this list never had.
            for query in [
                "cursor=\(first),none", "cursor=\(versionToken(2)),a", "cursor=1-ba9876543210,a",
            ] {
                let answer = try server.refused(
                    410, "history_gone", "GET", "/lists/l/tasks?\(query)")
                #expect(answer.json["version"] == 1)
            }
            try server.refused(
                410, "history_gone", "GET", "/lists/l/tasks?section=s&cursor=\(first),a")
        }
    }

    // MARK: The limits of a page

    @Test func aPageEndsAfterItsLimit() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": numbered("t", 1_001)])
            func pages(_ query: String) throws -> [[String]] {
                try server.client.pages("/lists/l/tasks?\(query)").map(\.taskIDs)
            }
            #expect(try pages("").map(\.count) == Array(repeating: 100, count: 10) + [1])
            #expect(try pages("limit=1000").map(\.count) == [1_000, 1])
            #expect(try pages("limit=500").joined().elementsEqual(server.order()))
            _ = try server.client.delete("/tasks/t1000")
            #expect(try pages("limit=1000").map(\.count) == [1_000])
        }
    }

    @Test func aPageExaminesALimitedNumberOfTasks() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": numbered("t", 10_001), "m": numbered("u", 10_000)])
            func pages(_ path: String) throws -> [[String]] {
                try server.client.pages(path).map(\.taskIDs)
            }
            #expect(try pages("/lists/m/tasks?q=x") == [[]])
            #expect(try pages("/lists/l/tasks?done=true") == [[], []])
            _ = try server.client.send("PATCH", "/tasks/t10000", #"{"title":"x"}"#)
            #expect(try pages("/lists/l/tasks?q=x") == [[], ["t10000"]])
        }
    }

    @Test func aPageExaminesALimitedNumberOfBytes() throws {
        try withServer(.inProcess) { server throws in
            let title = String(repeating: "x", count: 4_096)
            let data = #","data":"\#(String(repeating: "y", count: 8_189))""#
            try server.make([
                "l": numbered("t", 256, title: title), "m": numbered("u", 257, title: title),
                "n": numbered("v", 200, title: "z", data),
            ])
            #expect(try server.client.pages("/lists/l/tasks?q=y").count == 1)
            #expect(try server.client.pages("/lists/m/tasks?q=y").count == 2)
            #expect(
                try server.client.pages("/lists/m/tasks?limit=1000").map(\.taskIDs.count)
                    == [256, 1])
            // Data that is not returned does not count.
            let sizes = try server.client.pages("/lists/n/tasks?limit=1000").map(\.taskIDs.count)
            #expect(sizes == [128, 72])
            #expect(try server.client.pages("/lists/n/tasks?q=y").count == 1)
        }
    }
}
