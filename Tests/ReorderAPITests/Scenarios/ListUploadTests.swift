import Foundation
import MicroHTTP
import RandomRuns
import Testing

/// Lists that are sent in lines (NDJSON).
@Suite struct ListUploadTests {
    private static let type = ["Content-Type": "application/x-ndjson"]

    private func put(
        _ server: ServerUnderTest, _ lines: String, _ fields: [String: String] = [:],
        list: String = "l"
    ) throws -> APIResponse {
        try server.client.put("/lists/\(list)", lines, fields.merging(Self.type) { $1 })
    }

    /// A random list: its members without tasks, and its tasks.
    private func randomList(_ random: inout SeededGenerator, tasks: Int) -> (String, [String]) {
        let sections = (0..<random.below(4)).map {
            #"{"id":"s\#($0)","title":"S","data":{"n":\#($0)}}"#
        }
        let moves = random.chance(50) ? "anywhere" : "siblings"
        let head =
            #""title":"L \#(random.below(9))","elementsOffset":\#(random.below(3)),"#
            + #""moves":"\#(moves)","sections":[\#(sections.joined(separator: ","))]"#
        var depths: [Int] = []
        let tasks = (0..<tasks).map { index in
            var members = #""id":"t\#(index)","title":"é\\n\#(random.next())""#
            depths.append(0)
            if index > 0, random.chance(60) {
                let parent = random.below(index)
                if depths[parent] < 15 {
                    members += #","parent":"t\#(parent)""#
                    depths[index] = depths[parent] + 1
                }
            } else if !sections.isEmpty, random.chance(60) {
                members += #","section":"s\#(random.below(sections.count))""#
            }
            if random.chance(20) {
                members += #","done":true,"completedAt":"2024-02-29T12:00:00Z""#
            }
            if random.chance(20) { members += #","collapsed":true,"locked":true"# }
            if random.chance(20) { members += #","data":{"a":[1.0,{"b":null}]}"# }
            return "{\(members)}"
        }
        return (head, tasks)
    }

    @Test(arguments: Setup.all)
    func linesGiveTheSameListAsADocument(setup: Setup) throws {
        var random = SeededGenerator(seed: 23)
        try withServer(setup) { server throws in
            for round in 0..<8 {
                let (head, tasks) = randomList(&random, tasks: random.below(round < 7 ? 60 : 6_000))
                let json = "{\(head),\"tasks\":[\(tasks.joined(separator: ","))]}"
                let lines = (["{\(head)}"] + tasks).joined(separator: "\n")
                #expect(try server.client.put("/lists/l", json).status == 201)
                let expected = try server.client.get("/lists/l")
                let version = try #require(expected.json["version"]?.int)
                // The list is equal, also if the lines have the members that the server derives.
                let same = try put(server, lines, ["If-Match": "*"])
                #expect(same.json["changed"] == false, "round \(round): \(same.text)")
                #expect(try server.client.delete("/lists/l").status == 204)
                let made = try put(server, lines + "\n", ["If-None-Match": "*"])
                #expect(made.status == 201 && made["Location"] == "/lists/l", "\(made.text)")
                #expect(made["ETag"] == entityTag(version + 2))
                let text = expected.text.replacing(
                    #""version":\#(version)"#, with: #""version":\#(version + 2)"#)
                #expect(try server.document("l") == text, "round \(round)")
                #expect(try server.client.delete("/lists/l").status == 204)
            }
        }
    }

    @Test(arguments: Setup.all)
    func conditionsKeysAndProblemsAreThoseOfADocument(setup: Setup) throws {
        try withServer(setup) { server throws in
            let lines = "{\"title\":\"L\"}\n{\"title\":\"no id\"}\n"
            let first = try put(server, lines, ["Idempotency-Key": "k"])
            #expect(first.status == 201)
            let again = try put(server, lines, ["Idempotency-Key": "k"])
            #expect(again.body == first.body && again["Idempotent-Replay"] == "true")
            let reused = try put(
                server, lines.replacing("no", with: "an"), ["Idempotency-Key": "k"])
            #expect(reused.code == "key_reused")
            #expect(try put(server, lines).code == "precondition_required")
            #expect(try put(server, lines, ["If-Match": entityTag(9)]).code == "version_mismatch")
            let replaced = try put(server, "{\"title\":\"M\"}", ["If-Match": entityTag(1)])
            #expect(replaced.status == 200 && replaced["ETag"] == entityTag(2))
            #expect(try server.client.get("/lists/l").json["count"] == 0)
            let other = try put(server, "{\"title\":\"L\",\"id\":\"m\"}", list: "o")
            #expect(other.code == "invalid_body" && other.json["pointer"] == "/id")
            #expect(other.json["line"] == 1, "\(other.text)")

            let posted = try server.client.post(
                "/lists", "{\"title\":\"P\",\"id\":\"p\"}\n{\"id\":\"t\",\"title\":\"T\"}",
                Self.type)
            #expect(posted.status == 201 && posted["Location"] == "/lists/p")
            #expect(try server.client.get("/tasks/t").status == 200)
            let taken = try put(
                server, "{\"title\":\"Q\"}\n{\"id\":\"t\",\"title\":\"T\"}", list: "q")
            #expect(taken.code == "id_taken")
        }
    }

    @Test(arguments: Setup.all)
    func anIdInUseNamesItsLine(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["x"])])
            // The lines are not in the order of the list: d comes before b.
            let lines = [
                #"{"id":"m","title":"M","sections":[{"id":"s","title":"S"},{"id":"t","title":"T"}]}"#,
                #"{"id":"a","title":"A"}"#, #"{"id":"b","title":"B","section":"s"}"#,
                #"{"id":"c","title":"C","section":"t"}"#, #"{"id":"d","title":"D","parent":"a"}"#,
            ]
            for line in 2...5 {
                var lines = lines
                lines[line - 1] = lines[line - 1].replacing(
                    try Regex(#"^\{"id":"."#), with: #"{"id":"x"#)
                let text = (lines.prefix(line) + ["{\"title\":\"no id\"}"]).joined(separator: "\n")
                for hasKey in [false, true] {
                    for isPut in [false, true] {
                        var fields = Self.type
                        if hasKey { fields["Idempotency-Key"] = "\(line)-\(isPut)" }
                        let answer =
                            try isPut
                            ? server.client.put("/lists/m", text, fields)
                            : server.client.post("/lists", text, fields)
                        #expect(answer.status == 409 && answer.code == "id_taken")
                        #expect(answer.json["line"]?.int == line, "\(answer.text)")
                        #expect(answer.json["pointer"] == "/id")
                        let detail = answer.json["detail"]?.string ?? ""
                        #expect(detail.hasPrefix("Line \(line): Task \"x\""), "\(detail)")
                        guard hasKey, isPut else { continue }
                        let again = try server.client.put("/lists/m", text, fields)
                        #expect(again.body == answer.body)
                        #expect(again["Idempotent-Replay"] == "true")
                    }
                }
            }
            let list = try server.client.post("/lists", #"{"id":"l","title":"L"}"#, Self.type)
            #expect(list.code == "id_taken" && list.json["line"] == 1, "\(list.text)")
            #expect(list.json["pointer"] == "/id")
            // A document has no lines.
            let document = try server.client.post("/lists", draft(["x"]))
            #expect(document.code == "id_taken" && document.json["line"] == nil)
        }
    }

    @Test(arguments: Setup.memory)
    func aFaultNamesItsLineAndChangesNothing(setup: Setup) throws {
        try withServer(setup, tasksPerList: 3) { server throws in
            let head = "{\"title\":\"L\",\"sections\":[{\"id\":\"s\",\"title\":\"S\"}]}\n"
            let task = "{\"id\":\"a\",\"title\":\"A\"}\n"
            #expect(try put(server, head + task).status == 201)
            let rest = (0..<3).map { "{\"id\":\"r\($0)\",\"title\":\"R\"}\n" }.joined()
            let cases: [(String, Int, String, Int, String?)] = [
                ("", 400, "invalid_json", 1, ""),
                (head + "{\"title\"}\n" + rest, 400, "invalid_json", 2, "/title"),
                (head + task + "\n" + rest, 400, "invalid_json", 3, ""),
                (head + task + "{\"id\":\"b\"}", 422, "invalid_body", 3, ""),
                (head + "{\"title\":7}", 422, "invalid_body", 2, "/title"),
                (head + task + task, 422, "invalid_body", 3, "/id"),
                (head + "{\"title\":\"\",\"parent\":\"z\"}", 422, "invalid_body", 2, "/parent"),
                (head + "{\"title\":\"\",\"section\":\"z\"}", 422, "invalid_body", 2, "/section"),
                ("{\"titel\":\"L\"}\n" + task, 422, "invalid_body", 1, "/titel"),
                (
                    "{\"title\":\"L\",\"tasks\":[{\"title\":\"\"}]}", 422, "invalid_body", 1,
                    "/tasks"
                ),
                (head + task + rest, 409, "list_full", 5, nil),
            ]
            for (body, status, code, line, pointer) in cases {
                let answer = try server.refused(
                    status, code, "PUT", "/lists/l", body,
                    Self.type.merging(["If-Match": "*"]) { $1 })
                guard !body.isEmpty else { continue }
                #expect(answer.json["line"]?.int == line, "\(answer.text)")
                #expect(answer.json["detail"]?.string?.hasPrefix("Line \(line): ") == true)
                #expect(answer.json["pointer"]?.string == pointer, "\(answer.text)")
            }
            #expect(try put(server, head + rest, ["If-Match": "*"]).status == 200)
            for type in ["application/x-ndjson; charset=latin1", "application/ndjson"] {
                try server.refused(
                    415, "unsupported_media_type", "PUT", "/lists/l", head,
                    ["Content-Type": type, "If-Match": "*"])
            }
            // Other resources do not read lines.
            try server.refused(
                415, "unsupported_media_type", "POST", "/lists/l/tasks", task, Self.type)
        }
    }

    @Test(arguments: Setup.memory)
    func aClientWithoutAccessIsRefusedBeforeItsBodyIsRead(setup: Setup) throws {
        try withServer(setup, access: try TestTokens.control()) { server throws in
            // The body would be refused too.
            for (fields, status) in [
                ([:], 401), (TestTokens.field("read"), 403), (TestTokens.field("write:other"), 403),
            ] {
                let answer = try put(server, "no JSON", fields)
                #expect(answer.status == status, "\(answer.text)")
            }
        }
    }

    @Test(arguments: Setup.sockets)
    func onlyALineHasTheLimitOfABody(setup: Setup) throws {
        try withServer(setup, maximumBodyBytes: 5000) { server throws in
            func padded(_ line: String, _ count: Int) -> String {
                line + String(repeating: " ", count: count - line.utf8.count)
            }
            let head = padded("{\"title\":\"L\"}", 5000)
            let tasks = (0..<200).map { padded("{\"id\":\"t\($0)\",\"title\":\"T\"}", 5000) }
            let body = ([head] + tasks).joined(separator: "\n")
            let key = ["Idempotency-Key": "k"]
            #expect(try put(server, body, key).status == 201)
            // The digest is that of the lines, in whichever slices they arrive.
            #expect(try put(server, body, key)["Idempotent-Replay"] == "true")
            #expect(try server.client.get("/lists/l").json["count"] == 200)
            for body in [
                head + " ", head + " \n", body + " ", body + " \n",
                head + "\n" + String(repeating: " ", count: 1 << 20),
            ] {
                let answer = try server.refused(
                    413, "body_too_large", "PUT", "/lists/l", body,
                    Self.type.merging(["If-Match": "*"]) { $1 })
                #expect(answer.json["line"] != nil)
            }
        }
    }

    /// The ids of its lines are free afterwards.
    @Test func aClientThatDisconnectsHalfwayChangesNothing() throws {
        let server = try OneLoopServer()
        let tasks = (0..<30_000).map { #"{"id":"t\#($0)","title":"T"}"# }
        let body = Array((["{\"title\":\"L\"}"] + tasks).joined(separator: "\n").utf8)
        let head =
            "PUT /lists/l HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        do {
            let connection = try server.connect()
            connection.write(Array(head.utf8))
            connection.write(Array(body.prefix(body.count / 2)))
            try server.advance()
        }
        // libmicrohttpd may not see the end of a connection that it has read in one piece with the data before. Then the upload ends
        // with its time. The time in which the server reads lines does not count, so the time may have to pass more than once.
        repeat {
            try server.advance(seconds: HTTPServerConfiguration().requestTimeoutSeconds)
        } while try server.openConnections() > 1
        #expect(try server.client.get("/lists/l").status == 404)
        #expect(try server.client.put("/lists/l", draft(["t0"])).status == 201)
        try server.stop()
    }
}
