import Testing

@testable import ReorderAPI

/// Requests with an `Idempotency-Key`.
@Suite struct IdempotencyKeyTests {
    private func key(_ key: String, _ fields: [String: String] = [:]) -> [String: String] {
        fields.merging(["Idempotency-Key": key]) { $1 }
    }

    /// A request to each route that writes. Each one changes something.
    private static let writes: [(method: String, target: String, body: String?)] = [
        ("POST", "/lists", #"{"title":"No id"}"#),
        ("POST", "/lists", #"{"id":"n","title":"N","tasks":[{"title":"no id"}]}"#),
        ("PUT", "/lists/p", #"{"title":"P"}"#),
        ("PATCH", "/lists/l", #"{"title":"Other"}"#),
        ("POST", "/lists/l/sections", #"{"title":"No id"}"#),
        ("PATCH", "/lists/l/sections/s", #"{"title":"S"}"#),
        ("POST", "/lists/l/sections/s/move", #"{"position":1}"#),
        ("DELETE", "/lists/l/sections/r?tasks=delete", nil),
        ("POST", "/lists/l/tasks", #"{"title":"No id"}"#),
        ("POST", "/lists/l/move", #"{"task":"b","position":0}"#),
        ("POST", "/lists/l/move", #"{"task":"x","toList":"m"}"#),
        ("POST", "/lists/l/batch", #"{"ops":[{"op":"create","title":"No id"}]}"#),
        ("PATCH", "/tasks/a", #"{"title":"A"}"#),
        ("POST", "/tasks/a/collapse", nil),
        ("DELETE", "/tasks/b", nil),
        ("POST", "/task/", #"{"id":"e","list":"l","title":"E"}"#),
        ("PUT", "/task/e", #"{"position":0,"title":"F"}"#),
        ("DELETE", "/lists/l", nil),
        ("POST", "/lists/l/restore", nil),
        ("DELETE", "/lists/l?permanent=true", nil),
    ]

    @Test(arguments: Setup.all)
    func everyRepeatedWriteIsAppliedOnceAndReplayed(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "x", "c@r", "d@s"]), "m": draft([])])
            var answers: [APIResponse] = []
            for (index, write) in Self.writes.enumerated() {
                // For most routes the key belongs to the list or task, so other routes need other
                // keys.
                let fields = key("k\(index)")
                let first = try server.client.send(write.method, write.target, write.body, fields)
                #expect(200..<300 ~= first.status, "\(write) \(first.text)")
                #expect(first["Idempotent-Replay"] == nil)
                answers.append(first)
            }
            let before = try server.client.get("/lists").text
            for round in 0..<2 {
                for (index, write) in Self.writes.enumerated() {
                    let fields = key("k\(index)")
                    let again = try server.client.send(
                        write.method, write.target, write.body, fields)
                    #expect(again.status == answers[index].status, "\(write) \(again.text)")
                    #expect(again.body == answers[index].body, "\(write) \(again.text)")
                    #expect(again["ETag"] == answers[index]["ETag"])
                    #expect(again["Location"] == answers[index]["Location"])
                    #expect(again["Content-Type"] == answers[index]["Content-Type"])
                    #expect(again["Idempotent-Replay"] == "true")
                }
                #expect(try server.client.get("/lists").text == before)
                if round == 0 { try server.reopen() }
            }
        }
    }

    @Test(arguments: Setup.all)
    func responsesWithoutAChangeAreStored(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let client = server.client
            let asks: [(String, String, String?, [String: String], String)] = [
                ("POST", "/lists/l/move", #"{"task":"a","parent":"a"}"#, [:], "cycle"),
                ("POST", "/lists/l/move", #"{"task":"n","position":0}"#, [:], "task_not_found"),
                ("POST", "/lists/l/tasks", #"{"id":"a","title":""}"#, [:], "id_taken"),
                ("PUT", "/lists/l", draft([]), [:], "precondition_required"),
                ("PATCH", "/lists/l", "{}", ["If-Match": entityTag(9)], "version_mismatch"),
                ("DELETE", "/lists/l/sections/n", nil, [:], "section_not_found"),
                ("POST", "/lists/l/move?dryRun=true", #"{"task":"a","position":1}"#, [:], ""),
                ("POST", "/tasks/a/collapse", #"{"collapsed":false}"#, [:], ""),
            ]
            var first: [APIResponse] = []
            for (index, ask) in asks.enumerated() {
                first.append(try client.send(ask.0, ask.1, ask.2, key("k\(index)", ask.3)))
                #expect(first[index].code ?? "" == ask.4, "\(first[index].text)")
            }
            // Without stored responses, most of these requests would now have other results.
            _ = try client.delete("/lists/l")
            try server.make(["l": draft(["n", "a<n", "b@n"])])
            for (index, ask) in asks.enumerated() {
                let again = try client.send(ask.0, ask.1, ask.2, key("k\(index)", ask.3))
                #expect(again.text == first[index].text)
                #expect(again.status == first[index].status)
                #expect(again["ETag"] == first[index]["ETag"])
                #expect(again["Idempotent-Replay"] == "true")
            }
        }
    }

    @Test(arguments: Setup.all)
    func errorsBeforeADecisionAreNotStored(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            let move = #"{"task":"a","position":1}"#
            let fields = key("k")
            #expect(try client.post("/lists/l/move", move, fields).code == "list_not_found")
            #expect(
                try client.send("PATCH", "/tasks/a", #"{"done":true}"#, fields).code
                    == "task_not_found")
            #expect(try client.post("/lists/l/move", "{", fields).code == "invalid_json")
            #expect(try client.post("/lists/l/move", "{}", fields).code == "invalid_body")
            try server.make(["l": draft(["a", "b"])])
            #expect(try client.post("/lists/l/move", move, fields).json["version"] == 2)
            #expect(
                try client.send("PATCH", "/tasks/a", #"{"done":true}"#, fields).json["version"]
                    == 3)
            // The list has no such version yet.
            let undo = #"{"version":4}"#
            #expect(try client.post("/lists/l/undo", undo, key("u")).code == "history_gone")
            _ = try client.send("PATCH", "/tasks/b", #"{"done":true}"#)
            #expect(try client.post("/lists/l/undo", undo, key("u")).json["version"] == 5)
        }
    }

    @Test(arguments: Setup.all)
    func anotherRequestWithTheKeyIsRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"]), "m": draft(["z"])])
            let body = #"{"task":"a","position":1}"#
            #expect(try server.client.post("/lists/l/move", body, key("k")).status == 200)
            for (target, body, fields) in [
                ("/lists/l/move", #"{"task":"a","position": 1}"#, [:]),
                ("/lists/l/move?dryRun=false", body, [:]),
                ("/lists/l/tasks", #"{"title":"x"}"#, [:]),
                ("/lists/l/move", body, ["If-Match": "*"]),
                ("/lists/l/move", body, ["If-None-Match": "*"]),
            ] {
                try server.refused(422, "key_reused", "POST", target, body, key("k", fields))
            }
            // Header fields that don't affect the result don't make it a different request.
            for fields in [["Client-Id": "x"], ["Content-Type": "application/json;charset=utf-8"]] {
                let again = try server.client.post("/lists/l/move", body, key("k", fields))
                #expect(again["Idempotent-Replay"] == "true")
            }
            let other = try server.client.post("/lists/m/tasks", #"{"title":"x"}"#, key("k"))
            #expect(other.status == 201)
        }
    }

    @Test func aKeyInProgressIsRefused() throws {
        for setup in Setup.memory {
            try withServer(setup) { server throws in
                try server.make(["l": draft(["a"])])
                #expect(try server.inProgress().code == "request_in_progress")
                let again = try ServerUnderTest.putLarge(server.client)
                #expect(again["Idempotent-Replay"] == "true")
                #expect(again.json["version"] == 2)
            }
        }
    }

    /// The server restarts while its clock is two days behind, and the clock is corrected later.
    @Test(arguments: Setup.all.filter { $0.store != .memory }, [false, true])
    func aKeyUsedWithTheClockBehindIsKnownAfterTheCorrection(
        setup: Setup, isRestarted: Bool
    ) throws {
        let clock = TestClock.stopped
        try withServer(setup, clock: clock) { server throws in
            try server.make(["l": draft(["a"])])
            let (old, new) = (#"{"title":"x"}"#, #"{"title":"y"}"#)
            let first = try server.client.post("/lists", old, key("old"))
            clock.advance(seconds: -2 * 24 * 60 * 60)
            try server.reopen()
            #expect(try server.client.post("/lists", old, key("old")).text == first.text)
            let second = try server.client.post("/lists", new, key("new"))
            #expect(second["Idempotent-Replay"] == nil)
            clock.advance(seconds: 2 * 24 * 60 * 60)
            if isRestarted { try server.reopen() }
            #expect(try server.client.post("/lists", old, key("old")).text == first.text)
            #expect(try server.client.post("/lists", new, key("new")).text == second.text)
        }
    }

    @Test(arguments: Setup.once)
    func aKeyHas1To255VisibleCharactersInQuotesOrNot(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let long = String(repeating: "~", count: 255)
            let bad = [
                "", "\"\"", "\"", "a b", "\"a b\"", "é", "a\"b", "a\\b", "\"a\";p=1", long + "~",
                "\"\(long)~\"",
            ]
            for key in bad {
                try server.refused(
                    400, "bad_request", "PATCH", "/lists/l", #"{"title":"x"}"#,
                    ["Idempotency-Key": key])
            }
            for key in ["!", "a,b;c", long] {
                let body = #"{"title":"\#(key.prefix(9))"}"#
                let first = try server.client.send("PATCH", "/lists/l", body, self.key(key))
                #expect(first.status == 200, "\(first.text)")
                let quoted = try server.client.send(
                    "PATCH", "/lists/l", body, self.key("\"\(key)\""))
                #expect(quoted["Idempotent-Replay"] == "true")
            }
            let twice = APIRequest(
                method: "DELETE", target: "/lists/l",
                fields: [("Idempotency-Key", "x"), ("Idempotency-Key", "x")])
            #expect(try server.client.send(twice).code == "bad_request")
            // Reads ignore the field.
            #expect(try server.client.get("/lists/l", ["Idempotency-Key": "a b"]).status == 200)
        }
    }
}
