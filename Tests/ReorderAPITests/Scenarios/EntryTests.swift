import Testing

/// Lists that are indexes of lists.
@Suite struct EntryTests {
    private static let index = """
        {"title":"Home","tasks":[
        {"id":"e1","title":"Folder"},
        {"id":"e2","title":"B","parent":"e1","data":{"color":"red","list":"b"}},
        {"id":"e3","title":"A","data":{"list":"a"}},
        {"id":"e4","title":"Deleted","data":{"list":"gone"}},
        {"id":"e5","title":"A again","data":{"list":"a"}},
        {"id":"e6","title":"No id","data":{"list":"no id"}},
        {"id":"e7","title":"No text","data":{"list":7}},
        {"id":"e8","title":"Other data","data":[{"list":"a"}]}]}
        """

    @Test(arguments: Setup.all)
    func anEntryHasTheListThatItsTaskNames(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["a": draft(["x", "y"]), "b": draft(["z"]), "home": Self.index])
            let page = try server.client.get("/lists/home/entries")
            #expect(page.status == 200 && page["Cache-Control"] == "no-store", "\(page.text)")
            #expect(page.json["list"] == "home" && page.json["version"] == 1)
            #expect(page.json["cursor"] == .null)
            func entries() throws -> [JSONValue] {
                try server.client.get("/lists/home/entries").json["entries"]?.array ?? []
            }
            let tasks = try server.client.get("/lists/home").json["tasks"]?.array
            #expect(try entries().compactMap { $0["task"] } == tasks)
            let lists = try server.client.get("/lists").json["lists"]?.array ?? []
            let (a, b) = (lists.first { $0["id"] == "a" }, lists.first { $0["id"] == "b" })
            let expected = [nil, b, a, nil, a, nil, nil, nil].map { $0 ?? .null }
            #expect(try entries().compactMap { $0["list"] } == expected)
            // Entries are moved like tasks, and show the lists' latest state.
            _ = try server.client.post("/lists/home/move", #"{"task":"e3","position":0}"#)
            _ = try server.client.send("PATCH", "/lists/a", #"{"title":"New"}"#)
            #expect(try entries().first?["list"]?["title"] == "New")
            #expect(try entries().first?["list"]?["version"] == 2)
            _ = try server.client.delete("/lists/b")
            #expect(try entries()[2]["task"]?["id"] == "e2")
            #expect(try entries()[2]["list"] == .null)
        }
    }

    @Test(arguments: Setup.all)
    func entriesArePaged(setup: Setup) throws {
        try withServer(setup) { server throws in
            var tasks: [String] = []
            for number in 0..<105 {
                let data = #"{"list":"l\#(number % 3)"}"#
                tasks.append(#"{"id":"e\#(number)","title":"E","data":\#(data)}"#)
            }
            let text = tasks.joined(separator: ",")
            try server.make(["l1": draft([]), "home": #"{"title":"Home","tasks":[\#(text)]}"#])
            func page(_ query: String) throws -> (ids: [String], known: Int, cursor: String?) {
                let page = try server.client.get("/lists/home/entries\(query)")
                let entries = page.json["entries"]?.array ?? []
                return (
                    entries.compactMap { $0["task"]?["id"]?.string },
                    entries.count { $0["list"] != .null }, page.json["cursor"]?.string
                )
            }
            let first = try page("")
            #expect(first.ids == (0..<100).map { "e\($0)" })
            #expect(first.known == 33)
            let last = try page("?cursor=\(try #require(first.cursor))")
            #expect(last.ids == (100..<105).map { "e\($0)" })
            #expect(last.cursor == nil)
            #expect(try page("?limit=1").ids == ["e0"])
            #expect(try page("?limit=100").ids.count == 100)
            for query in ["limit=0", "limit=101", "cursor=", "cursor=a"] {
                try server.refused(422, "invalid_query", "GET", "/lists/home/entries?\(query)")
            }
            try server.refused(404, "list_not_found", "GET", "/lists/none/entries")
        }
    }
}
