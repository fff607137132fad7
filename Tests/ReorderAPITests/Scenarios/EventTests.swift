import StoreTesting
import Testing
import Waiting

@Suite struct EventTests {
    @Test(arguments: Setup.all)
    func aStreamSendsTheVersionAndEachChangeOnce(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let stream = try server.client.watch("l")
            #expect(stream.answer.status == 200)
            #expect(stream.answer["Content-Type"] == "text/event-stream")
            #expect(stream.answer["Cache-Control"] == "no-store")
            #expect(stream.answer["X-Accel-Buffering"] == "no")
            let hello = try stream.expect("hello", id: 1)
            #expect(
                hello.data == ["list": "l", "version": 1, "epoch": .string(testEpoch)])
            #expect(hello.text.hasPrefix("retry: 2000\n"))
            _ = try server.client.post(
                "/lists/l/move", #"{"task":"b","position":0}"#, ["Client-Id": "phone"])
            let change = try stream.expect("change", id: 2)
            #expect(change.data["client"] == "phone")
            #expect(
                change.data["ops"]?[0] == [
                    "op": "move", "task": "b", "section": nil, "parent": nil, "position": 0,
                ])
            #expect(change.text.split(separator: "\n").count == 3)
            // Refused requests, and requests that change nothing, send no event.
            _ = try server.client.post("/lists/l/move", #"{"task":"b","position":0}"#)
            _ = try server.client.post("/lists/l/move", #"{"task":"b","parent":"b"}"#)
            _ = try server.client.post("/lists/l/tasks", #"{"id":"n","title":"New\nline"}"#)
            try stream.expect("change", id: 3)
            let page = try server.client.get("/lists/l/changes?since=\(versionToken(1))")
            #expect(page.json["changes"]?[0] == change.data)
        }
    }

    @Test(arguments: Setup.all)
    func aStreamContinuesAfterTheClientsVersion(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for number in 2...300 {
                _ = try server.client.post("/lists/l/tasks", #"{"title":"\#(number)"}"#)
            }
            let seventh = "?since=\(versionToken(7))"
            for (query, field, first) in [
                ("?since=0", nil, 1), (seventh, nil, 8), ("?since=\(versionToken(300))", nil, 301),
                ("", versionToken(7), 8), ("", versionToken(7) + " ", 8),
                (seventh, versionToken(299), 300), (seventh, "", 8),
            ] {
                let stream = try server.client.watch(
                    "l", query, field.map { ["Last-Event-ID": $0] } ?? [:])
                try stream.expect("hello", id: first - 1)
                var next = first
                while next <= 300 {
                    try stream.expect("change", id: next)
                    next += 1
                }
            }
            try server.reopen()
            let stream = try server.client.watch("l", "?since=\(versionToken(298))")
            try stream.expect("hello", id: 298)
            try stream.expect("change", id: 299)
            try stream.expect("change", id: 300)
            _ = try server.client.post("/lists/l/tasks", #"{"title":"301"}"#)
            try stream.expect("change", id: 301)
        }
    }

    @Test(arguments: Setup.all)
    func anUnknownVersionSendsRefetch(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let stream = try server.client.watch("l", "?since=\(versionToken(9))")
            #expect(try stream.expect("hello", id: 9).data["version"] == 1)
            #expect(
                try stream.expect("refetch", id: 1).data == [
                    "list": "l", "version": 1, "epoch": .string(testEpoch),
                ])
            _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
            try stream.expect("change", id: 2)
        }
    }

    @Test(arguments: Setup.all)
    func prunedChangesSendRefetch(setup: Setup) throws {
        try withServer(setup) { server throws in
            let version = try server.makeListWithPrunedHistory()
            let stream = try server.client.watch("l", "", ["Last-Event-ID": versionToken(1)])
            try stream.expect("hello", id: 1)
            try stream.expect("refetch", id: version)
            _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
            try stream.expect("change", id: version + 1)
        }
    }

    @Test(arguments: Setup.all)
    func theDeletionOfTheListEndsItsStreams(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            _ = try server.client.delete("/lists/l")
            #expect(try stream.expect("change", id: 2).data["ops"] == [["op": "replace"]])
            #expect(
                try stream.expect("deleted", id: 2).data == [
                    "list": "l", "version": 2, "epoch": .string(testEpoch),
                ])
            #expect(try stream.next() == nil)
            // A client that is behind gets the deletion. A client that is up to date gets 404.
            let late = try server.client.watch("l", "?since=\(versionToken(1))")
            try late.expect("hello")
            try late.expect("change", id: 2)
            try late.expect("deleted", id: 2)
            #expect(try late.next() == nil)
            let upToDate = try server.client.watch("l", "?since=\(versionToken(2))")
            #expect(upToDate.answer.code == "list_not_found")
            #expect(try server.client.watch("l").answer.code == "list_not_found")
            #expect(try server.client.watch("none", "?since=0").answer.code == "list_not_found")
            // A new list with the same id continues the version numbers, and shows no earlier change.
            try server.make(["l": draft(["b"])])
            let next = try server.client.watch("l", "?since=\(versionToken(1))")
            try next.expect("hello")
            try next.expect("refetch", id: 3)
            _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
            try next.expect("change", id: 4)
        }
    }

    @Test(arguments: Setup.all)
    func aMovedTaskIsSentToTheStreamsOfBothLists(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "s<a"]), "m": draft(["b"])])
            let streams = try ["l", "m"].map { try server.client.watch($0) }
            for stream in streams { try stream.expect("hello", id: 1) }
            _ = try server.client.post("/lists/l/move", #"{"task":"a","toList":"m"}"#)
            for stream in streams { try stream.expect("change", id: 2) }
        }
    }

    @Test(arguments: Setup.memory)
    func anInvalidVersionIsRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for value in ["x", "-1", "-0", "+1", "1.0", "1 2", "9223372036854775808", entityTag(1)]
            {
                let answer = try server.client.watch("l", "", ["Last-Event-ID": value]).answer
                #expect(answer.code == "bad_request", "\(value)")
            }
            for value in ["x", "-1", "", "1", "9223372036854775808"] {
                let answer = try server.client.watch("l", "?since=\(value)").answer
                #expect(answer.code == "invalid_query", "\(value)")
                // This also applies if the header field overrides it.
                let both = try server.client.watch(
                    "l", "?since=\(value)", ["Last-Event-ID": versionToken(1)])
                #expect(both.answer.code == "invalid_query", "\(value)")
            }
        }
    }

    @Test(arguments: Setup.memory)
    func headDoesNotStream(setup: Setup) throws {
        try withServer(setup, streamLimit: 1) { server throws in
            try server.make(["l": draft(["a"])])
            for _ in 0..<3 {
                let answer = try server.client.send("HEAD", "/lists/l/events")
                #expect(answer.status == 200)
                #expect(answer["Content-Type"] == "text/event-stream")
                #expect(answer.body.isEmpty)
            }
            #expect(try server.client.send("HEAD", "/lists/none/events").status == 404)
        }
    }

    @Test(arguments: Setup.oneServer)
    func theNumberOfStreamsIsLimited(setup: Setup) throws {
        try withServer(setup, streamLimit: 2) { server throws in
            try server.make(["l": draft(["a"]), "m": draft(["b"])])
            let first = try server.client.watch("l")
            try first.expect("hello")
            do {
                let second = try server.client.watch("m")
                try second.expect("hello")
                let third = try server.client.watch("l").answer
                #expect(third.status == 503)
                #expect(third.code == "unavailable")
                #expect(third["Retry-After"] == "1")
            }
            // The server stops counting a stream when it notices that the stream has ended.
            try waitUntil { try server.client.watch("l").answer.status == 200 }
            _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
            try first.expect("change", id: 2)
        }
    }

    @Test(arguments: Setup.sockets)
    func aServerThatStopsEndsItsStreams(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
            try server.reopen()
            try stream.expect("change", id: 2)
            #expect(try stream.expect("stopping").id == nil)
            #expect(try stream.next() == nil)
            let again = try server.client.watch("l", "", ["Last-Event-ID": versionToken(1)])
            try again.expect("hello", id: 1)
            try again.expect("change", id: 2)
        }
    }
}
