import ReorderEngine
import ReorderService
import StoreTesting
import Testing

/// One stream, or one sequence of pages, for many lists.
@Suite struct FeedTests {
    @Test(arguments: Setup.all)
    func aStreamHasTheChangesOfAllLists(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let stream = try server.client.watchFeed()
            #expect(stream.answer.status == 200)
            #expect(stream.answer["Content-Type"] == "text/event-stream")
            #expect(stream.answer["Cache-Control"] == "no-store")
            let hello = try stream.expect("hello")
            #expect(
                hello.textID == "p\(versionToken(1))"
                    && hello.data == ["next": .string("p\(versionToken(1))")])
            _ = try server.client.post("/lists/l/tasks", #"{"id":"b","title":"b"}"#)
            try stream.expect("change", "l", 2)
            try server.make(["m": draft(["c"])])
            try stream.expect("created", "m", 1)
            _ = try server.client.post("/lists/l/move", #"{"task":"a","toList":"m"}"#)
            try stream.expect("change", "l", 3)
            try stream.expect("change", "m", 2)
            _ = try server.client.delete("/lists/l")
            let deleted = try stream.expect("deleted", "l", 4)
            #expect(deleted.data["change"]?["kind"] == "deleted")
            // A list that is created again continues its versions.
            try server.make(["l": draft(["d"])])
            let created = try stream.expect("created", "l", 5)
            // The change is the one of the list's own stream.
            let page = try server.client.get("/lists/l/changes?since=\(versionToken(4))")
            #expect(page.json["changes"]?[0] == created.data["change"])
            // A list that is replaced was not created.
            _ = try server.client.put("/lists/l", draft(["e"]), ["If-Match": "*"])
            #expect(try stream.expect("change", "l", 6).data["change"]?["kind"] == nil)
            // Another stream continues after any event.
            let again = try server.client.watchFeed("", ["Last-Event-ID": deleted.textID ?? ""])
            #expect(try again.expect("hello").textID == deleted.textID)
            try again.expect("created", "l", 5)
            try again.expect("change", "l", 6)
        }
    }

    /// The changes of a deleted list are hidden from a stream that is behind, and what happens to its id later is not.
    @Test(arguments: Setup.all)
    func aStreamThatIsBehindSkipsAFormerList(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"]), "m": draft()])
            _ = try server.client.post("/lists/l/tasks", #"{"id":"b","title":"b"}"#)
            _ = try server.client.delete("/lists/l?permanent=true")
            let start = "?since=p\(versionToken(0))"
            let first = try server.client.watchFeed(start)
            try first.expect("hello")
            try first.expect("created", "m", 1)
            try first.expect("deleted", "l", 3)
            try server.make(["l": draft(["c"])])
            _ = try server.client.post("/lists/l/tasks", #"{"id":"d","title":"d"}"#)
            _ = try server.client.post("/lists/m/tasks", #"{"id":"e","title":"e"}"#)
            let second = try server.client.watchFeed(start)
            try second.expect("hello")
            try second.expect("created", "m", 1)
            for stream in [first, second] {
                try stream.expect("created", "l", 4)
                try stream.expect("change", "l", 5)
                try stream.expect("change", "m", 2)
            }
        }
    }

    @Test(arguments: Setup.all)
    func pagesHaveTheSameEvents(setup: Setup) throws {
        try withServer(setup) { server throws in
            let start = try server.client.get("/changes").json
            #expect(start == ["events": [], "next": .string("p\(versionToken(0))"), "more": false])
            try server.make(["l": draft(["a"]), "m": draft()])
            _ = try server.client.delete("/lists/m")
            let first = try server.client.get("/changes?since=p\(versionToken(0))&limit=2").json
            #expect(first["events"]?.array.map { $0["event"] } == ["created", "created"])
            #expect(first["events"]?.array.map { $0["list"] } == ["l", "m"])
            #expect(first["more"] == true)
            let next = first["next"]?.string ?? ""
            let second = try server.client.get("/changes?since=\(next)").json
            #expect(second["events"]?.array.map { $0["event"] } == ["deleted"])
            #expect(second["events"]?[0]?["change"]?["version"] == 2)
            #expect(second["more"] == false && second["next"]?.string == "p\(versionToken(3))")
            // With `wait`, the page waits for a change of the chosen lists.
            let client = server.freshClient()
            let poll = Pending {
                try client.get("/changes?since=p\(versionToken(3))&lists=m&wait=60")
            }
            _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
            try server.make(["m": draft()])
            let page = try poll.get()
            #expect(page.json["events"]?.array.map { $0["list"] } == ["m"])
            #expect(page.json["next"]?.string == "p\(versionToken(5))")
        }
    }

    /// The changes of other lists fill more than a page. Time stands still, so only news end the wait.
    @Test func aPollReadsOnAfterAPageOfOtherListsOnly() throws {
        let server = try OneLoopServer()
        #expect(try server.client.put("/lists/l", draft()).status == 201)
        for number in 0...PieceSizes().feedChanges {
            let title = SettingsUpdate(title: "\(number)")
            _ = try server.service.write(
                WriteRequest(list: "l", action: .command(.settings(title))))
        }
        #expect(try server.client.put("/lists/m", draft()).status == 201)
        let page = try server.client.get("/changes?since=p\(versionToken(1))&lists=m&wait=60")
        #expect(page.json["events"]?.array.map { $0["list"] } == ["m"])
        try server.stop()
    }

    @Test(arguments: Setup.all)
    func aFeedCanHaveSomeLists(setup: Setup) throws {
        try withServer(setup) { server throws in
            let streams = try ["?lists=b.1,c", "?prefix=b."].map {
                let stream = try server.client.watchFeed($0)
                try stream.expect("hello")
                return stream
            }
            try server.make(["a": draft(), "b.1": draft(), "b.2": draft(), "c": draft()])
            try streams[0].expect("created", "b.1", 1)
            try streams[0].expect("created", "c", 1)
            try streams[1].expect("created", "b.1", 1)
            try streams[1].expect("created", "b.2", 1)
            let page = try server.client.get("/changes?since=p\(versionToken(0))&prefix=b.").json
            #expect(page["events"]?.array.map { $0["list"] } == ["b.1", "b.2"])
        }
    }

    @Test(arguments: Setup.memory)
    func invalidParametersAreRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            let names = (1...101).map { "l\($0)" }
            for path in ["/changes", "/events"] {
                for query in [
                    "lists=", "lists=a,", "lists=a*", "prefix=", "prefix=*", "lists=a&prefix=a",
                    "since=", "since=1", "since=\(versionToken(1))", "since=p", "since=p-1",
                    "since=p1", "since=p1.1", "since=p1.1.l", "since=p1.x.l",
                    "since=p1.-1.l", "since=p1.1.", "since=p9223372036854775808",
                    "lists=\(names.joined(separator: ","))",
                ] {
                    let answer = try server.client.watch(path: "\(path)?\(query)").answer
                    #expect(answer.code == "invalid_query", "\(query)")
                }
                let query = "lists=\(names.dropLast().joined(separator: ","))"
                #expect(try server.client.watch(path: "\(path)?\(query)").answer.status == 200)
            }
            for value in ["x", "1", "p"] {
                let answer = try server.client.watchFeed("", ["Last-Event-ID": value]).answer
                #expect(answer.code == "bad_request", "\(value)")
            }
            #expect(try server.client.send("HEAD", "/events").status == 200)
        }
    }

    // MARK: Changes that are not stored

    @Test(arguments: Setup.all)
    func prunedChangesSendTheListsThatHaveChanged(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["k": draft(), "unchanged": draft()])
            let place = try server.client.get("/changes").json["next"]?.string ?? ""
            let version = try server.makeListWithPrunedHistory()
            _ = try server.client.delete("/lists/k")
            let stream = try server.client.watchFeed("?since=\(place)")
            #expect(try stream.expect("hello").textID == place)
            #expect(
                try stream.expect("deleted", "k", nil).data == [
                    "list": "k", "version": 2, "epoch": .string(testEpoch),
                ])
            #expect(
                try stream.expect("refetch", "l", nil).data == [
                    "list": "l", "version": .int(version), "epoch": .string(testEpoch),
                ])
            _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
            let change = try stream.expect("change", "l", version + 1)
            // The pages have one list each, and then the change.
            var (next, events, count) = (place, [String](), 0)
            repeat {
                let page = try server.client.get("/changes?since=\(next)&limit=1").json
                next = page["next"]?.string ?? ""
                for event in page["events"]?.array ?? [] {
                    events.append("\(event["event"]?.string ?? "") \(event["list"]?.string ?? "")")
                }
                count += 1
                if page["more"] == false { break }
            } while count < 10
            #expect(events == ["deleted k", "refetch l"])
            #expect(next == change.textID)
        }
    }

    @Test(arguments: Setup.all)
    func anUnknownPlaceSendsAllLists(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["a": draft(), "b": draft(), "c": draft()])
            for place in ["p\(versionToken(9))", "p1-ba9876543210"] {
                let stream = try server.client.watchFeed("?since=\(place)&lists=a,c")
                let id = place.hasSuffix(testEpoch) ? place : nil
                #expect(try stream.expect("hello").textID == id)
                try stream.expect("refetch", "a", nil)
                try stream.expect("refetch", "c", nil)
            }
        }
    }

    /// A client that is too far behind gets the lists instead of the changes.
    @Test func tooManyChangesSendTheListsThatHaveChanged() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft(["a"])])
            for number in 1...10_001 {
                _ = try server.uncheckedClient.send(
                    "PATCH", "/tasks/a", #"{"title":"\#(number)"}"#)
            }
            let behind = try server.client.get("/changes?since=p\(versionToken(1))&limit=10").json
            #expect(behind["events"]?[0]?["event"] == "refetch")
            #expect(behind["next"]?.string == "p\(versionToken(10002))")
            let near = try server.client.get("/changes?since=p\(versionToken(2))&limit=1").json
            #expect(near["events"]?[0]?["event"] == "change")
        }
    }
}

extension EventReader {
    /// Waits for the next event of a feed. A change has this version and an id.
    @discardableResult
    fileprivate func expect(
        _ name: String, _ list: String, _ version: Int?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StreamedEvent {
        let event = try expect(name, sourceLocation: sourceLocation)
        #expect(
            event.data["list"] == .string(list), "\(event.text)", sourceLocation: sourceLocation)
        #expect(
            event.data["change"]?["version"] == version.map { .int($0) }, "\(event.text)",
            sourceLocation: sourceLocation)
        #expect((event.textID == nil) == (version == nil), sourceLocation: sourceLocation)
        return event
    }
}
