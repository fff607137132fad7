import ReorderService
import Testing

/// Tasks of many lists, and several lists or tasks by id.
@Suite struct SearchTests {
    @Test(arguments: Setup.all)
    func aSearchFindsTasksOfAllLists(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "a": draft(["milk", "m2<milk", "x1"]), "b": draft(["x2"]), "c": draft(["milk3"]),
            ])
            _ = try server.client.send("PATCH", "/tasks/milk", #"{"done":true}"#)
            for _ in 0..<2 {
                let page = try server.client.get("/tasks?q=MILK")
                #expect(page.taskIDs == ["milk", "milk3"] && page.cursor == nil)
                #expect(page.json["tasks"]?.array.map { $0["list"] } == ["a", "c"])
                var task = try server.client.get("/tasks/milk3").json.object
                task["list"] = "c"
                #expect(page.json["tasks"]?[1] == .object(task))
                #expect(page["Cache-Control"] == "no-store" && page["ETag"] == nil)
                #expect(try server.client.get("/tasks?q=milk&done=false").taskIDs == ["milk3"])
                #expect(
                    try server.client.get("/tasks").taskIDs == ["milk", "m2", "x1", "x2", "milk3"])
                for limit in 1...6 {
                    let pages = try server.client.pages("/tasks?limit=\(limit)")
                    #expect(pages.flatMap(\.taskIDs) == ["milk", "m2", "x1", "x2", "milk3"])
                    #expect(pages.allSatisfy { $0.taskIDs.count <= limit })
                }
                // Once more with lists that are not in memory.
                try server.reopen()
            }
            // The list in which a page has ended is deleted.
            let cursor = try #require(try server.client.get("/tasks?limit=1").cursor)
            _ = try server.client.delete("/lists/a")
            #expect(try server.client.get("/tasks?cursor=\(cursor)").taskIDs == ["x2", "milk3"])
        }
    }

    @Test(arguments: Setup.all)
    func aSearchSeesEachChangeAtOnce(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"]), "m": draft()])
            for number in 0..<20 {
                let title = #"{"title":"title \#(number)"}"#
                _ = try server.client.send("PATCH", "/tasks/a", title)
                // With two servers, each of these requests goes to another one.
                #expect(try server.client.get("/tasks?q=TITLE%20\(number)").taskIDs == ["a"])
                let list = number % 2 == 0 ? "m" : "l"
                let from = number % 2 == 0 ? "l" : "m"
                _ = try server.client.post(
                    "/lists/\(from)/move", #"{"task":"a","toList":"\#(list)"}"#)
                let found = try server.client.get("/tasks?ids=a").json["tasks"]
                #expect(found?[0]?["list"] == .string(list))
            }
        }
    }

    @Test(arguments: Setup.all)
    func severalTasksAreReadById(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"]), "m": draft(["c", "d"])])
            _ = try server.client.send("PATCH", "/tasks/c", #"{"done":true,"title":"Cherries"}"#)
            func ids(_ query: String) throws -> [String] {
                let page = try server.client.get("/tasks?\(query)")
                #expect(page.status == 200 && page.cursor == nil, "\(page.text)")
                return page.taskIDs
            }
            #expect(try ids("ids=c,a,none,c,b") == ["c", "a", "b"])
            #expect(try ids("ids=none") == [])
            #expect(try ids("ids=c,a&done=true") == ["c"])
            #expect(try ids("ids=c,a&q=cherries") == ["c"])
            let lists = try server.client.get("/tasks?ids=d&fields=list").json["tasks"]
            #expect(lists == [["list": "m"]])
            let hundred = (["a"] + (0..<99).map { "x\($0)" }).joined(separator: ",")
            #expect(try ids("ids=\(hundred)") == ["a"])
            for query in [
                "ids=", "ids=a,", "ids=%2F", "ids=\(hundred),b", "ids=a&limit=5", "ids=a&cursor=l",
                "limit=0", "limit=1001", "cursor=", "cursor=l,", "cursor=l,1", "cursor=%2F", "q=",
                "done=1", "fields=x", "section=s",
            ] {
                try server.refused(422, "invalid_query", "GET", "/tasks?\(query)")
            }
            _ = try server.client.delete("/tasks/c")
            #expect(try ids("ids=c,d") == ["d"])
        }
    }

    @Test(arguments: Setup.all)
    func severalListsAreReadById(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["a": draft(["t"]), "b": draft(), "c": draft()])
            func ids(_ query: String) throws -> [String?] {
                let page = try server.client.get("/lists?\(query)").json
                return page["lists"]?.array.map { $0["id"]?.string } ?? []
            }
            #expect(try ids("ids=c,none,a") == ["a", "c"])
            #expect(try ids("ids=c,b,a&limit=2") == ["a", "b"])
            #expect(try ids("ids=c,b,a&limit=2&cursor=b") == ["c"])
            let page = try server.client.get("/lists?ids=a").json
            let summary: JSONValue = [
                "id": "a", "title": "List", "version": 1, "count": 1, "open": 1,
            ]
            #expect(page == ["lists": [summary], "cursor": nil])
            let hundred = (["a"] + (0..<99).map { "x\($0)" }).joined(separator: ",")
            #expect(try ids("ids=\(hundred)") == ["a"])
            for query in ["ids=", "ids=a,,b", "ids=a*", "ids=\(hundred),b"] {
                try server.refused(
                    422, "invalid_query", "GET", "/lists?\(query)", keeping: ["a"])
            }
        }
    }

    @Test func aPageExaminesALimitedNumberOfLists() throws {
        try withServer(.inProcess) { server throws in
            for number in 100..<200 { try server.make(["l\(number)": draft(["t\(number)"])]) }
            #expect(try server.client.pages("/tasks?limit=1000").map(\.taskIDs.count) == [100])
            try server.make(["l200": draft(["t200"])])
            #expect(try server.client.pages("/tasks?limit=1000").map(\.taskIDs.count) == [100, 1])
        }
    }

    /// `GrantTests` has the other requests.
    @Test(arguments: Setup.once)
    func pagesForATokenHaveOnlyItsLists(setup: Setup) throws {
        try withServer(setup, access: TestTokens.control()) { server throws in
            let owner = server.client(with: "write")
            for list in ["l", "mine-1", "other"] {
                let body = draft(["\(list)-a", "\(list)-b"])
                #expect(try owner.put("/lists/\(list)", body).status == 201)
            }
            let client = server.client(with: "read:mine*,l")
            let readable = ["l-a", "l-b", "mine-1-a", "mine-1-b"]
            #expect(try client.pages("/tasks?limit=1").flatMap(\.taskIDs) == readable)
            // A cursor gives no access.
            let page = try client.get("/tasks?cursor=other,\(versionToken(1)),other-a")
            #expect(page.json == ["tasks": [], "cursor": nil])
        }
    }
}
