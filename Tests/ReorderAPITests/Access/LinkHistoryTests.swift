import ReorderAuth
import Testing

@testable import ReorderAPI

/// What a client learns of a list's past: nothing of another list that had its id, and with a link nothing from
/// before the link.
@Suite struct LinkHistoryTests {
    private func withServer(
        _ setup: Setup, _ body: (ServerUnderTest, _ owner: TokenClient) throws -> Void
    ) throws {
        let control = AccessControl(
            tokens: try TestTokens.table(), keys: try TestTokens.keys.get())
        try ReorderAPITests.withServer(setup, access: control) { server throws in
            try body(server, server.client(with: "purge"))
        }
    }

    private func link(
        _ owner: TokenClient, _ body: String = #"{"scope":"write"}"#
    ) throws -> [String: String] {
        let made = try owner.post("/lists/leak/shares", body)
        #expect(made.status == 201, "\(made.text)")
        return ["Authorization": "Bearer \(try #require(made.json["token"]?.string))"]
    }

    /// All requests that return changes, from the beginning of the history.
    private func pasts(
        _ server: ServerUnderTest, _ field: [String: String]
    ) throws -> [String] {
        var texts: [String] = []
        for path in [
            "/lists/leak/changes", "/lists/leak/changes?since=\(versionToken(0))",
            "/lists/leak/changes?since=\(versionToken(1))", "/lists/leak/changes?order=desc",
            "/lists/leak/changes?order=desc&before=\(versionToken(3))",
            "/changes?since=p\(versionToken(0))",
            "/changes?lists=leak&since=p\(versionToken(1))",
        ] {
            texts.append(try server.client.get(path, field).text)
        }
        for version in 1...3 {
            let body = #"{"version":\#(version)}"#
            texts.append(try server.client.send("POST", "/lists/leak/undo", body, field).text)
        }
        texts.append(try server.client.get("/lists/leak", field).text)
        for version in 0...1 {
            let stream = try server.client.watch("leak", "?since=\(versionToken(version))", field)
            try stream.expect("hello")
            texts.append("\(try #require(try stream.next()))")
        }
        return texts
    }

    @Test(arguments: Setup.all, [true, false])
    func aNewListShowsNothingOfTheOneBefore(setup: Setup, isPermanent: Bool) throws {
        try withServer(setup) { server, owner throws in
            #expect(try owner.put("/lists/leak", draft(["a"])).status == 201)
            // Streams keep the last changes in memory.
            let watched = try owner.watch("leak")
            let feed = try owner.watchFeed()
            try watched.expect("hello")
            try feed.expect("hello")
            let task = #"{"id":"s","title":"SECRET"}"#
            #expect(try owner.post("/lists/leak/tasks", task).status == 201)
            let end = isPermanent ? "?permanent=true" : ""
            #expect(try owner.delete("/lists/leak\(end)").status == 204)
            #expect(try owner.put("/lists/leak", draft(["b"])).status == 201)
            let all = try link(owner, #"{"scope":"write","history":"all"}"#)
            for field in [owner.fields, all, try link(owner)] {
                for text in try pasts(server, field) {
                    #expect(!text.contains("SECRET"), "\(text)")
                }
            }
            let history = try owner.get("/lists/leak/changes?order=desc").json["changes"]?.array
            #expect(history?.map { $0["version"]?.int } == [4])
            withExtendedLifetime((watched, feed)) {}
        }
    }

    @Test(arguments: Setup.all) func aRestoredListHasItsHistory(setup: Setup) throws {
        try withServer(setup) { server, owner throws in
            #expect(try owner.put("/lists/leak", draft(["a"])).status == 201)
            #expect(try owner.delete("/lists/leak").status == 204)
            #expect(try owner.post("/lists/leak/restore").status == 201)
            let history = try owner.get("/lists/leak/changes?order=desc").json["changes"]?.array
            #expect(history?.count == 3)
        }
    }

    @Test(arguments: Setup.all) func aLinkShowsHistoryFromItsCreationOn(setup: Setup) throws {
        try withServer(setup) { server, owner throws in
            #expect(try owner.put("/lists/leak", draft(["a", "b"])).status == 201)
            let secret = #"{"title":"SECRET"}"#
            #expect(try owner.send("PATCH", "/tasks/a", secret).status == 200)
            #expect(try owner.delete("/tasks/a").status == 200)
            let field = try link(owner)
            let all = try link(owner, #"{"scope":"read","history":"all"}"#)
            #expect(try owner.send("PATCH", "/tasks/b", #"{"title":"later"}"#).status == 200)
            for _ in 0..<2 {
                for text in try pasts(server, field) {
                    #expect(!text.contains("SECRET"), "\(text)")
                }
                let from = try server.client.get(
                    "/lists/leak/changes?since=\(versionToken(3))", field)
                #expect(from.json["changes"]?.array.count == 1, "\(from.text)")
                let early = try server.client.get(
                    "/lists/leak/changes?since=\(versionToken(2))", field)
                #expect(early.code == "history_gone")
                let page = try server.client.get("/lists/leak/changes?order=desc", field)
                #expect(page.json["changes"]?.array.map { $0["version"]?.int } == [4])
                #expect(page.json["before"] == .null)
                let feed = try server.client.get("/changes?since=p\(versionToken(0))", field)
                #expect(feed.json["events"]?.array.count == 1, "\(feed.text)")
                let more = try server.client.get(
                    "/lists/leak/changes?order=desc", all)
                #expect(more.text.contains("SECRET"))
                try server.reopen()
            }
            let undo = try server.client.send(
                "POST", "/lists/leak/undo", #"{"version":4}"#, field)
            #expect(undo.status == 200, "\(undo.text)")
            // The last change is one of the link's own now, and after the next link it is hidden.
            let last = try server.client.send("POST", "/lists/leak/undo", "", field)
            #expect(last.json["undone"] == 5, "\(last.text)")
            let hidden = try server.client.send(
                "POST", "/lists/leak/undo", "", try link(server.client(with: "purge")))
            #expect(hidden.code == "history_gone", "\(hidden.text)")
            let owner = server.client(with: "purge")
            let listed = try owner.get("/lists/leak/shares").json["shares"]?.array
            let histories = listed?.compactMap { $0["history"]?.string }.sorted()
            #expect(histories == ["all", "new", "new"])
            let wrong = try owner.post(
                "/lists/leak/shares", #"{"scope":"read","history":"some"}"#)
            #expect(wrong.code == "invalid_body")
        }
    }
}
