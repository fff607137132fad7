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

    @Test(arguments: Setup.memory)
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

    @Test(arguments: Setup.once)
    func aTasksDataHasAtMost8192BytesWithoutWhiteSpace(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft()])
            func body(_ bytes: Int, _ space: String = "") -> String {
                let text = String(repeating: "x", count: bytes - 8)
                return #"{"title":"t","data":{\#(space)"k":\#(space)"\#(text)"}}"#
            }
            for space in ["", String(repeating: " \n", count: 100)] {
                let taken = try server.client.post("/lists/l/tasks", body(8192, space))
                #expect(taken.status == 201, "\(taken.text)")
                let answer = try server.refused(
                    422, "invalid_body", "POST", "/lists/l/tasks", body(8193, space))
                #expect(answer.json["pointer"] == "/data")
            }
        }
    }

    @Test(arguments: Setup.once)
    func anIdHasAtMost64Bytes(setup: Setup) throws {
        try withServer(setup) { server throws in
            let longest = String(repeating: "aZ0._~-9", count: 8)
            let put = try server.client.put(
                "/lists/\(longest)",
                #"{"id":"\#(longest)","title":"","sections":[{"id":"\#(longest)","title":""}],"tasks":[{"id":"\#(longest)","title":""}]}"#
            )
            #expect(put.status == 201, "\(put.text)")
            #expect(try server.client.get("/tasks/\(longest)").status == 200)
            let long = longest + "x"
            try server.refused(
                422, "invalid_body", "PUT", "/lists/\(long)", #"{"title":""}"#, keeping: [long])
            for (pointer, body) in [
                ("/id", #"{"id":"\#(long)","title":""}"#),
                ("/sections/0/id", #"{"title":"","sections":[{"id":"\#(long)","title":""}]}"#),
                ("/tasks/0/id", #"{"title":"","tasks":[{"id":"\#(long)","title":""}]}"#),
            ] {
                let answer = try server.refused(422, "invalid_body", "POST", "/lists", body)
                #expect(answer.json["pointer"]?.string == pointer)
            }
            try server.refused(
                422, "invalid_body", "POST", "/lists/\(longest)/tasks",
                #"{"id":"\#(long)","title":""}"#, keeping: [longest])
        }
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test(arguments: Setup.memory)
    func jsonIsNestedAtMost18Deep(setup: Setup) throws {
        try withServer(setup) { server throws in
            // `count` is derived and ignored, but must be valid JSON.
            let taken = try server.client.put("/lists/l", #"{"title":"","count":\#(nested(17))}"#)
            #expect(taken.status == 201, "\(taken.text)")
            try server.refused(
                400, "invalid_json", "PUT", "/lists/l", #"{"title":"","count":\#(nested(18))}"#)
            try server.refused(400, "invalid_json", "PUT", "/lists/l", nested(100_000))
        }
    }

    @Test(arguments: Setup.all)
    func theDeepestDataCanBePutBack(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft()])
            let taken = try server.client.post(
                "/lists/l/tasks", #"{"id":"a","title":"","data":\#(nested(13))}"#)
            #expect(taken.status == 201, "\(taken.text)")
            let answer = try server.refused(
                422, "invalid_body", "POST", "/lists/l/tasks",
                #"{"title":"","data":\#(nested(14))}"#)
            #expect(answer.json["pointer"] == "/data")
            let document = try server.document("l")
            let back = try server.client.put("/lists/l", document, ["If-Match": "*"])
            #expect(back.status == 200)
            #expect(back.json["changed"] == false)
            let deeper = try server.refused(
                422, "invalid_body", "PUT", "/lists/l",
                document.replacing(nested(13), with: nested(14)), ["If-Match": "*"])
            #expect(deeper.json["pointer"] == "/tasks/0/data")
            func update(_ data: String) -> String {
                #"{"ops":[{"op":"update","task":"a","set":{"data":\#(data)}}]}"#
            }
            let batch = try server.client.post("/lists/l/batch", update(#"{"a":\#(nested(12))}"#))
            #expect(batch.status == 200, "\(batch.text)")
            let refusal = try server.refused(
                422, "invalid_body", "POST", "/lists/l/batch", update(nested(14)))
            #expect(refusal.json["pointer"] == "/ops/0/set/data")
            _ = try server.client.post("/lists/l/batch", update(nested(13)))
            #expect(try server.document("l").contains(#""data":\#(nested(13))"#))
            let last = try server.document("l")
            try server.reopen()
            #expect(try server.document("l") == last)
        }
    }

    @Test(arguments: Setup.once)
    func tasksNestAtMost16Levels(setup: Setup) throws {
        try withServer(setup) { server throws in
            let chain = (1...16).map { $0 == 1 ? "d1" : "d\($0)<d\($0 - 1)" }
            try server.make(["l": draft(chain)])
            #expect(try server.client.get("/tasks/d16").json["depth"] == 15)
            try server.refused(
                409, "depth_limit", "POST", "/lists/l/tasks", #"{"title":"","parent":"d16"}"#)
            let answer = try server.refused(
                422, "invalid_body", "PUT", "/lists/m",
                draft(chain.map { "m" + $0.replacing("<d", with: "<md") } + ["x<md16"]),
                keeping: ["l", "m"])
            #expect(answer.json["pointer"] == "/tasks/16/parent")
        }
    }

    @Test(arguments: Setup.all)
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
            let move = try server.client.post("/lists/l/move", #"{"task":"c","position":0}"#)
            #expect(move.status == 200)
            _ = try server.client.delete("/tasks/a")
            let again = try server.client.post("/lists/l/tasks", #"{"title":""}"#)
            #expect(again.status == 201)
        }
    }

    @Test func aListHasAtMost10000Sections() throws {
        func document(_ count: Int) -> String {
            let sections = (0..<count).map { #"{"id":"s\#($0)","title":""}"# }
            return #"{"title":"L","sections":[\#(sections.joined(separator: ","))]}"#
        }
        try withServer(Setup(transport: .inProcess, store: .memory)) { server throws in
            let put = try server.client.put("/lists/l", document(10_000))
            #expect(put.status == 201)
            try server.refused(
                409, "list_full", "POST", "/lists/l/sections", #"{"title":""}"#, keeping: ["l"])
            try server.refused(409, "list_full", "PUT", "/lists/m", document(10_001))
            _ = try server.client.delete("/lists/l/sections/s7")
            let again = try server.client.post("/lists/l/sections", #"{"title":""}"#)
            #expect(again.status == 201)
        }
    }

    @Test(arguments: Setup.memory)
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
