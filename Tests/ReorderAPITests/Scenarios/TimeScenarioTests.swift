import Foundation
import Testing

/// `createdAt`, `updatedAt` and `completedAt` in responses, in changes and in documents.
@Suite struct TimeScenarioTests {
    /// Runs `body` with a server whose clock shows `time(0)` and advances when `tick` is called. This
    /// time is long past, so that PostgreSQL's clock is ignored.
    private func run(
        _ setup: Setup, _ body: (ServerUnderTest, _ tick: () -> Void) throws -> Void
    ) throws {
        let clock = TestClock(stoppedAt: try Date("2025-11-23T10:00:00Z", strategy: .iso8601))
        try withServer(setup, clock: clock) { server throws in
            try body(server) { clock.advance(seconds: 1) }
        }
    }

    private func time(_ second: Int) -> JSONValue { .string("2025-11-23T10:00:0\(second).000Z") }

    /// A task's times as seconds, or as they are if the clock of this test did not make them.
    private func times(_ task: JSONValue?) -> [String] {
        ["createdAt", "updatedAt", "completedAt"].map { name in
            guard let text = task?[name]?.string else { return "-" }
            return text.hasPrefix("2025-11-23T10:00:0")
                ? "\(text.dropFirst(18).dropLast(5))" : text
        }
    }

    @Test(arguments: Setup.all)
    func theServerSetsTimes(setup: Setup) throws {
        try run(setup) { server, tick in
            try server.make(["l": draft(["a", "b<a", "c"]), "m": draft(["x"])])
            let client = server.client
            #expect(try times(client.get("/tasks/a").json) == ["0", "0", "-"])
            tick()
            let done = try client.send("PATCH", "/tasks/b", #"{"done":true}"#)
            #expect(times(done.json["task"]) == ["0", "1", "1"])
            tick()
            let body = #"{"task":"a","after":"c"}"#
            let dry = try client.post("/lists/l/move?dryRun=true", body)
            let moved = try client.post("/lists/l/move", body)
            #expect(times(dry.json["task"]) == ["0", "2", "-"])
            #expect(moved.json["task"] == dry.json["task"])
            tick()
            let batch = try client.post(
                "/lists/l/batch",
                #"{"ops":[{"op":"create","id":"n","title":"N","done":true},"#
                    + #"{"op":"collapse","task":"a"},{"op":"update","task":"n","set":{"done":false}}]}"#
            )
            #expect(times(batch.json["results"]?[0]?["task"]) == ["3", "3", "3"])
            #expect(times(batch.json["results"]?[2]?["task"]) == ["3", "3", "-"])
            tick()
            let transferred = try client.post("/lists/l/move", #"{"task":"a","toList":"m"}"#)
            #expect(times(transferred.json["task"]) == ["0", "4", "-"])
            #expect(try times(client.get("/tasks/b").json) == ["0", "1", "1"])
            #expect(try times(client.get("/tasks/c").json) == ["0", "0", "-"])
            let list = try client.get("/lists/l").json
            #expect(times(list) == ["0", "4", "-"])
            // Nothing changes, and a refusal changes nothing.
            tick()
            _ = try client.send("PATCH", "/tasks/b", #"{"done":true}"#)
            _ = try client.post("/lists/l/move", #"{"task":"c","after":"gone"}"#)
            #expect(try client.get("/lists/l").json == list)
            let documents = try ["l", "m"].map { try server.document($0) }
            try server.reopen()
            #expect(try ["l", "m"].map { try server.document($0) } == documents)
        }
    }

    @Test(arguments: Setup.all)
    func aDocumentThatIsSentBackChangesNothing(setup: Setup) throws {
        try run(setup) { server, tick in
            try server.make(["l": draft(["a", "b<a", "c"])])
            _ = try server.client.send("PATCH", "/tasks/b", #"{"done":true}"#)
            tick()
            let document = try server.document("l")
            // A client that does not know the times omits them.
            let without = document.replacing(
                /"(createdAt|updatedAt|completedAt)":"[^"]*",?/, with: ""
            )
            .replacing(",}", with: "}")
            for body in [document, without] {
                let answer = try server.client.put("/lists/l", body, ["If-Match": "*"])
                #expect(answer.json["changed"] == false, "\(answer.text)")
                #expect(try server.document("l") == document)
            }
        }
    }

    @Test(arguments: Setup.all)
    func aDocumentCanHaveTimes(setup: Setup) throws {
        try run(setup) { server, tick in
            let imported = #"""
                {"title":"L","createdAt":"2001-01-01T00:00:00+01:00","updatedAt":null,"tasks":[
                {"id":"a","title":"A","done":true,"createdAt":"2001-02-03T04:05:06Z",
                "updatedAt":"2002-02-03T04:05:06.7Z","completedAt":"2003-02-03T04:05:06.789123Z"},
                {"id":"b","title":"B","createdAt":"2001-02-03T04:05:06Z",
                "completedAt":"2003-02-03T04:05:06Z"}]}
                """#
            try server.make(["l": imported])
            let client = server.client
            let given = [
                "2001-02-03T04:05:06.000Z", "2002-02-03T04:05:06.700Z", "2003-02-03T04:05:06.789Z",
            ]
            #expect(try times(client.get("/tasks/a").json) == given)
            #expect(try times(client.get("/tasks/b").json) == [given[0], "0", "-"])
            #expect(
                try times(client.get("/lists/l").json) == ["2000-12-31T23:00:00.000Z", "0", "-"])
            tick()
            let change =
                #"{"title":"L","tasks":[{"id":"b","title":"B!","done":true},"#
                + #"{"id":"a","title":"A","done":true}]}"#
            _ = try client.put("/lists/l", change, ["If-Match": "*"])
            // It was moved, so that b comes first.
            #expect(try times(client.get("/tasks/a").json) == [given[0], "1", given[2]])
            #expect(try times(client.get("/tasks/b").json) == [given[0], "1", "1"])
            #expect(
                try times(client.get("/lists/l").json) == ["2000-12-31T23:00:00.000Z", "1", "-"])
            let document = try server.document("l")
            try server.reopen()
            #expect(try server.document("l") == document)
        }
    }
}
