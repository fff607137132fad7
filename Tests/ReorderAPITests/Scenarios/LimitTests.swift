import Testing

/// Each limit, from both sides.
@Suite struct LimitTests {
    @Test(arguments: Setup.sockets)
    func aBodyOfExactlyTheLimitIsAccepted(setup: Setup) throws {
        try withServer(setup, maximumBodyBytes: 5000) { server throws in
            let client = server.client
            let document = #"{"title":"x"}"#
            let exact = document + String(repeating: " ", count: 5000 - document.utf8.count)
            #expect(try client.put("/lists/l", exact).status == 201)
            let before = try server.document("l")
            for (method, path) in [
                ("PUT", "/lists/l"), ("POST", "/lists"), ("POST", "/lists/l/tasks"),
                ("POST", "/lists/l/move"), ("POST", "/tasks/a/collapse"), ("DELETE", "/lists/l"),
            ] {
                let answer = try client.send(method, path, exact + " ", ["If-Match": "*"])
                #expect(answer.status == 413)
                #expect(answer.code == "body_too_large")
            }
            let waiting = try client.put("/lists/l", exact + " ", ["Expect": "100-continue"])
            #expect(waiting.status == 413)
            #expect(try server.document("l") == before)
        }
    }

    @Test(arguments: Setup.once)
    func aTitleHasAtMost4096Bytes(setup: Setup) throws {
        try withServer(setup) { server throws in
            // Each character has two bytes: the limit counts bytes.
            let longest = String(repeating: "é", count: 2048)
            let bodies: [(String, String, (String) -> String)] = [
                ("PUT", "/lists/l", { #"{"title":"\#($0)"}"# }),
                ("PUT", "/lists/l", { #"{"title":"","sections":[{"title":"\#($0)"}]}"# }),
                ("PUT", "/lists/l", { #"{"title":"","tasks":[{"title":"\#($0)"}]}"# }),
                ("POST", "/lists/l/tasks", { #"{"title":"\#($0)"}"# }),
            ]
            try server.make(["l": draft()])
            for (method, path, body) in bodies {
                let taken = try server.client.send(method, path, body(longest), ["If-Match": "*"])
                #expect(200..<300 ~= taken.status)
                let answer = try server.refused(
                    422, "invalid_body", method, path, body(longest + "x"), ["If-Match": "*"])
                #expect(answer.json["pointer"]?.string?.hasSuffix("/title") == true)
            }
            #expect(try server.document("l").contains(longest))
        }
    }

    /// The data of tasks, sections and lists.
    @Test(arguments: Setup.once)
    func dataHasAtMost8192BytesWithoutWhiteSpaceAnd13Levels(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a@s"]), "m": draft()])
            func text(_ bytes: Int) -> String {
                "\"\(String(repeating: "x", count: bytes - 2))\""
            }
            let limits = [
                (text(8_192), text(8_193)), (nested(13), nested(14)),
                ("[ \(text(8_190)) ]", "[ \(text(8_191)) ]"),
            ]
            for (method, path, pointer, body) in [
                ("POST", "/lists/l/tasks", "/data", #"{"title":"","data":DATA}"#),
                ("PATCH", "/tasks/a", "/data", #"{"data":DATA}"#),
                ("POST", "/lists/l/sections", "/data", #"{"title":"","data":DATA}"#),
                ("PATCH", "/lists/l/sections/s", "/data", #"{"data":DATA}"#),
                ("PATCH", "/lists/l", "/data", #"{"data":DATA}"#),
                ("PUT", "/lists/m", "/data", #"{"title":"","data":DATA}"#),
                (
                    "PUT", "/lists/m", "/sections/0/data",
                    #"{"title":"","sections":[{"title":"","data":DATA}]}"#
                ),
                (
                    "PUT", "/lists/m", "/tasks/0/data",
                    #"{"title":"","tasks":[{"title":"","data":DATA}]}"#
                ),
                (
                    "POST", "/lists/l/batch", "/ops/0/set/data",
                    #"{"ops":[{"op":"update","task":"a","set":{"data":DATA}}]}"#
                ),
                (
                    "POST", "/lists/l/batch", "/ops/0/data",
                    #"{"ops":[{"op":"section-update","section":"s","data":DATA}]}"#
                ),
            ] {
                for (most, over) in limits {
                    let refusal = try server.refused(
                        422, "invalid_body", method, path, body.replacing("DATA", with: over),
                        ["If-Match": "*"], keeping: ["l", "m"])
                    #expect(refusal.json["pointer"]?.string == pointer, "\(refusal.text)")
                    let answer = try server.client.send(
                        method, path, body.replacing("DATA", with: most), ["If-Match": "*"])
                    #expect(answer.status < 300, "\(method) \(path) \(answer.text)")
                }
            }
        }
    }

    /// {"k":"…"} and {"l":"…"} merge to {"k":"…","l":"…"}: 15 bytes plus the texts.
    @Test(arguments: [
        ("/tasks/a", #""op":"update","task":"a","set":{DATA}"#, "/ops/0/set/data"),
        ("/lists/l", #""op":"list","set":{DATA}"#, "/ops/0/set/data"),
        ("/lists/l/sections/s", #""op":"section-update","section":"s",DATA"#, "/ops/0/data"),
    ])
    func mergedDataHasTheSameLimit(path: String, op: String, pointer: String) throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft(["a@s"])])
            let half = String(repeating: "x", count: 4_088)
            _ = try server.client.send("PATCH", path, #"{"data":{"k":"\#(half)"}}"#)
            let over = #""data":{"l":"\#(half)xx"}"#
            let single = try server.refused(422, "invalid_body", "PATCH", path, "{\(over)}")
            #expect(single.json["pointer"] == "/data")
            let ops = #"{"ops":[{\#(op.replacing("DATA", with: over))}]}"#
            let batch = try server.refused(422, "invalid_body", "POST", "/lists/l/batch", ops)
            #expect(batch.json["pointer"]?.string == pointer)
            let most = #"{"data":{"l":"\#(half)x"}}"#
            #expect(try server.client.send("PATCH", path, most).status == 200)
        }
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test(arguments: Setup.all)
    func theDeepestDataCanBePutBack(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft()])
            let taken = try server.client.post(
                "/lists/l/tasks", #"{"id":"a","title":"","data":\#(nested(13))}"#)
            #expect(taken.status == 201, "\(taken.text)")
            let document = try server.document("l")
            let back = try server.client.put("/lists/l", document, ["If-Match": "*"])
            #expect(back.status == 200)
            #expect(back.json["changed"] == false)
            try server.reopen()
            #expect(try server.document("l") == document)
        }
    }

    @Test(arguments: Setup.once)
    func aDocumentHasAtMost16Levels(setup: Setup) throws {
        try withServer(setup) { server throws in
            let chain = chain("d", 17)
            try server.make(["l": draft(Array(chain.dropLast()))])
            let answer = try server.refused(
                422, "invalid_body", "PUT", "/lists/l", draft(chain), ["If-Match": "*"])
            #expect(answer.json["pointer"] == "/tasks/16/parent")
        }
    }

    @Test(arguments: Setup.once)
    func theNumberOfTasksIsLimited(setup: Setup) throws {
        try withServer(setup, tasksPerList: 3) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let third = try server.client.post("/lists/l/tasks", #"{"id":"c","title":""}"#)
            #expect(third.status == 201)
            try server.refused(409, "list_full", "POST", "/lists/l/tasks", #"{"title":""}"#)
            try server.refused(
                409, "list_full", "PUT", "/lists/l", draft(["a", "b", "c", "d"]),
                ["If-Match": "*"])
            try server.refused(
                409, "list_full", "POST", "/lists", draft(["e", "f", "g", "h"]))
        }
    }

    @Test func aListHasAtMost10000Sections() throws {
        func document(_ count: Int) -> String {
            let sections = (0..<count).map { #"{"id":"s\#($0)","title":""}"# }
            return #"{"title":"L","sections":[\#(sections.joined(separator: ","))]}"#
        }
        try withServer(.inProcess) { server throws in
            let put = try server.client.put("/lists/l", document(10_000))
            #expect(put.status == 201)
            try server.refused(
                409, "list_full", "POST", "/lists/l/sections", #"{"title":""}"#, keeping: ["l"])
        }
    }

    @Test(arguments: Setup.once)
    func aClientsNameHasAtMost128Bytes(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let name = String(repeating: "n", count: 128)
            let taken = try server.client.send(
                "POST", "/tasks/a/collapse", nil, ["Client-Id": name])
            #expect(taken.status == 200)
            try server.refused(
                400, "bad_request", "POST", "/tasks/a/collapse", nil, ["Client-Id": name + "n"])
        }
    }
}
