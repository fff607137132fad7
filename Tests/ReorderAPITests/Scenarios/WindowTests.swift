import Testing

@Suite struct WindowTests {
    @Test(arguments: Setup.once)
    func aWindowHasSomeTasksAndTheWholeRest(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c<b", "d<c", "e@s", "f@s"])])
            _ = try server.client.post("/tasks/b/collapse")
            func ids(_ query: String) throws -> [String] {
                let list = try server.client.get("/lists/l?\(query)").json
                #expect(list["count"] == 6)
                #expect(list["rows"] == 4)
                return list["tasks"]?.array.compactMap { $0["id"]?.string } ?? []
            }
            #expect(try ids("visible=true") == ["a", "b", "e", "f"])
            #expect(try ids("visible=true&offset=1&limit=2") == ["b", "e"])
            #expect(try ids("offset=2&limit=2") == ["c", "d"])
            #expect(try ids("limit=0") == [])
            #expect(try ids("visible=false") == ["a", "b", "c", "d", "e", "f"])
            for query in ["visible=yes", "offset=-1", "limit=x", "limit=", "limit=1.5"] {
                try server.refused(422, "invalid_query", "GET", "/lists/l?\(query)")
            }
        }
    }

    @Test(arguments: Setup.all)
    func repeatedReadsAreEqualUntilTheListChanges(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c"])])
            for version in 1...3 {
                let tag = entityTag(version)
                for query in ["", "?limit=1", "?visible=true&offset=1"] {
                    let first = try server.client.get("/lists/l\(query)")
                    let again = try server.client.get("/lists/l\(query)")
                    #expect(first.json["version"] == .int(version))
                    #expect(first.status == again.status)
                    #expect(first.body == again.body)
                    #expect(again["ETag"] == tag)
                    #expect(again["Content-Type"] == "application/json")
                }
                for _ in 0..<2 {
                    let unchanged = try server.client.get(
                        "/lists/l", ["If-None-Match": "\(entityTag(9)), W/\(tag)"])
                    #expect(unchanged.status == 304)
                    #expect(unchanged["ETag"] == tag)
                    #expect(unchanged.body.isEmpty)
                }
                let old = try server.client.get("/lists/l", ["If-None-Match": entityTag(9)])
                #expect(old.json["version"] == .int(version))
                _ = try server.client.post(
                    "/lists/l/move", #"{"task":"a","position":\#(version % 2 + 1)}"#)
            }
        }
    }

    @Test(arguments: Setup.all)
    func theIndexIsReturnedInPages(setup: Setup) throws {
        try withServer(setup) { server throws in
            #expect(try server.client.get("/lists").json == ["lists": [], "cursor": nil])
            let ids = ["A", "_", "a", "b", "b-1", "~"]
            for id in ids { try server.make([id: draft(["t-\(id)"])]) }
            _ = try server.client.delete("/lists/b")
            let found = try server.client.pages("/lists?limit=2").flatMap(\.listIDs)
            #expect(found == ["A", "_", "a", "b-1", "~"])
            let all = try server.client.get("/lists").json
            #expect(
                all["lists"]?[0]
                    == ["id": "A", "title": "List", "version": 1, "count": 1, "open": 1])
            for query in ["limit=0", "limit=1001", "cursor=%2F"] {
                try server.refused(
                    422, "invalid_query", "GET", "/lists?\(query)", keeping: ["A"])
            }
            #expect(try server.client.get("/lists?limit=1000").status == 200)
        }
    }
}
