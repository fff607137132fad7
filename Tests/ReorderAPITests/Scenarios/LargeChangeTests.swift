import StoreTesting
import Testing

/// A change over the limit of events: clients fetch the list instead.
@Suite struct LargeChangeTests {
    /// A task with subtasks, each with 8,000 bytes of data.
    private func document(_ count: Int) -> String {
        let data = String(repeating: "x", count: 8_000)
        let subtasks = (0..<count).map {
            #"{"id":"s\#($0)","title":"","parent":"p","data":{"k":"\#(data)"}}"#
        }
        let tasks = [#"{"id":"p","title":"p"}"#] + subtasks
        return #"{"title":"l","tasks":[\#(tasks.joined(separator: ","))]}"#
    }

    /// The names of a list's events in all pages after a place.
    private func events(
        of list: String, after place: String, _ server: ServerUnderTest
    ) throws -> [String?] {
        var (names, place): ([String?], String?) = ([], place)
        while let next = place {
            let page = try server.client.get("/changes?lists=\(list)&since=\(next)").json
            names += page["events"]?.array.map { $0["event"]?.string } ?? []
            place = page["more"] == true ? page["next"]?.string : nil
        }
        return names
    }

    @Test(arguments: Setup.all)
    func aChangeUpToTheLimitIsSent(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["m": draft(["x"])])
            _ = try server.client.put("/lists/l", document(120))
            let place = try server.client.get("/changes").json["next"]?.string ?? ""
            let stream = try server.client.watch("m")
            try stream.expect("hello", id: 1)
            let feed = try server.client.watchFeed("?lists=m")
            try feed.expect("hello")
            _ = try server.client.post("/lists/l/move", #"{"task":"p","toList":"m"}"#)
            #expect(try stream.expect("change", id: 2).text.utf8.count > 960_000)
            #expect(try feed.expect("change").data["change"]?["version"] == 2)
            let page = try server.client.get("/lists/m/changes?since=\(versionToken(1))")
            #expect(page.json["changes"]?.array.count == 1)
            #expect(try events(of: "m", after: place, server) == ["change"])
        }
    }

    @Test(arguments: Setup.all)
    func aLargerChangeIsFetched(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["m": draft(["x"])])
            _ = try server.client.put("/lists/l", document(140))
            let place = try server.client.get("/changes").json["next"]?.string ?? ""
            let stream = try server.client.watch("m")
            try stream.expect("hello", id: 1)
            let feed = try server.client.watchFeed("?lists=m")
            try feed.expect("hello")
            _ = try server.client.post("/lists/l/move", #"{"task":"p","toList":"m"}"#)
            let listed: JSONValue = ["list": "m", "version": 2, "epoch": .string(testEpoch)]
            #expect(try stream.expect("refetch", id: 2).data == listed)
            let event = try feed.expect("refetch")
            #expect(event.data == listed && event.textID != nil)
            let page = try server.refused(
                410, "history_gone", "GET", "/lists/m/changes?since=\(versionToken(1))")
            #expect(page.json["version"] == 2)
            #expect(try events(of: "m", after: place, server) == ["refetch"])
            // Later changes follow, also for a client that was away.
            _ = try server.client.post("/lists/m/tasks", #"{"title":"y"}"#)
            try stream.expect("change", id: 3)
            #expect(try feed.expect("change").data["change"]?["version"] == 3)
            let late = try server.client.watch("m", "", ["Last-Event-ID": versionToken(1)])
            try late.expect("hello", id: 1)
            try late.expect("refetch", id: 2)
            try late.expect("change", id: 3)
        }
    }
}
