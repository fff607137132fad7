import Testing

/// Messages about deletions need the titles of what is gone.
@Suite struct DeletedTitleTests {
    @Test(arguments: Setup.all) func deletionsHaveTheTitlesOfWhatWent(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "l": draft(["a", "b<a", "c", "d", "e", "f", "x@p", "y@q"]), "m": draft([]),
            ])
            let client = server.client
            func last(_ list: String = "l") throws -> JSONValue? {
                try client.get("/lists/\(list)/changes?limit=1000").json["changes"]?.array.last
            }
            func deleted(_ id: String) -> JSONValue {
                ["op": "delete", "task": .string(id), "title": .string("Task \(id)")]
            }
            for id in ["a", "c", "d", "e", "f", "x", "y"] {
                _ = try client.send("PATCH", "/tasks/\(id)", #"{"title":"Task \#(id)"}"#)
            }
            #expect(try client.delete("/tasks/a").status == 200)
            #expect(try last()?["ops"] == [deleted("a")])
            _ = try client.post("/lists/l/batch", #"{"ops":[{"op":"delete","task":"c"}]}"#)
            #expect(try last()?["ops"] == [deleted("c")])
            _ = try client.post(
                "/lists/l/batch", #"{"steps":[[{"op":"delete","task":"d"}]]}"#)
            #expect(try last()?["ops"] == [deleted("d")])
            _ = try client.send("PATCH", "/tasks/e", #"{"done":true}"#)
            _ = try client.post("/lists/l/remove-done", "{}")
            #expect(try last()?["ops"] == [deleted("e")])
            _ = try client.post("/lists/l/move", #"{"task":"f","toList":"m"}"#)
            #expect(try last()?["ops"] == [deleted("f")])
            let section = try last()
            _ = try client.delete("/lists/l/sections/p?tasks=delete")
            let gone = try last()
            #expect(gone != section)
            #expect(gone?["ops"]?.array.first == deleted("x"))
            #expect(gone?["ops"]?.array.last?["op"] == "section-delete")
            #expect(gone?["ops"]?.array.last?["title"]?.string != nil)
            _ = try client.post("/lists/m/tasks", #"{"id":"n","title":"Task n"}"#)
            _ = try client.post("/lists/m/undo", #"{"version":3}"#)
            #expect(try last("m")?["ops"] == [deleted("n")])
            // The events of webhooks and of the feed have the same changes.
            _ = try client.send("PATCH", "/lists/m", #"{"title":"Menu \"x\""}"#)
            _ = try client.delete("/lists/m")
            let event = try client.get("/changes?limit=1000&since=p\(versionToken(0))").json[
                "events"]?
                .array.last
            #expect(event?["event"] == "deleted")
            #expect(event?["change"]?["title"] == #"Menu "x""#)
            #expect(event?["change"]?["ops"] == [["op": "replace"]])
            // What is deleted permanently leaves no title, neither out of the bin nor at once.
            for list in ["m", "l"] {
                #expect(try client.delete("/lists/\(list)?permanent=true").status == 204)
                let last = try client.get("/changes?limit=1000&since=p\(versionToken(0))").json[
                    "events"]?.array.last
                #expect(last?["event"] == "deleted" && last?["list"] == .string(list))
                #expect(last?["change"]?["title"] == nil)
            }
        }
    }

    /// A change of many deletions must stay small enough for the feed.
    @Test(arguments: Setup.memory) func theTitlesOfAChangeAreLimited(setup: Setup) throws {
        try withServer(setup) { server throws in
            let title = String(repeating: "x", count: 4_096)
            let tasks = (0..<100).map { #"{"id":"t\#($0)","title":"\#(title)","done":true}"# }
            let body = #"{"title":"","tasks":[\#(tasks.joined(separator: ","))]}"#
            #expect(try server.client.put("/lists/l", body).status == 201)
            #expect(try server.client.post("/lists/l/remove-done", "{}").status == 200)
            let ops = try server.client.get("/lists/l/changes").json["changes"]?.array.last?["ops"]
            #expect(ops?.array.count == 100)
            #expect(ops?.array.count { $0["title"] != nil } == 64)
        }
    }
}
