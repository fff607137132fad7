import Testing

/// The texts of the JSON reader's tests, as a task's `data`.
@Suite struct JSONTextTests {
    @Test(arguments: Setup.all)
    func validTextsAreStoredUnchanged(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for text in JSONSyntaxCases.accepted {
                let body = #"{"id":"t","title":"","data":\#(text)}"#
                let answer = try server.client.post("/lists/l/tasks", body)
                #expect(answer.status == 201, "\(text) \(answer.text)")
                let data = try server.client.get("/tasks/t").json["data"] ?? .null
                #expect(data == (try? JSONValue(json: Array(text.utf8))), "\(text)")
                #expect(try server.client.delete("/tasks/t").status == 200)
            }
        }
    }

    @Test(arguments: Setup.all)
    func invalidTextsAreRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let texts =
                (JSONSyntaxCases.refused + JSONSyntaxCases.refusedBeyondTheStandard)
                .flatMap { $0.1.map { Array($0.utf8) } } + JSONSyntaxCases.refusedBytes.flatMap(\.1)
            let before = try server.document("l")
            for text in texts {
                var call = APIRequest(method: "PATCH", target: "/tasks/a")
                call.body = Array(#"{"data":"#.utf8) + text + Array("}".utf8)
                let answer = try server.client.send(call)
                let shown = String(decoding: text, as: UTF8.self)
                #expect(answer.status == 400, "\(shown) \(answer.text)")
                #expect(answer.code == "invalid_json", "\(shown)")
                #expect(answer.json["pointer"]?.string != nil, "\(shown)")
            }
            #expect(try server.document("l") == before)
        }
    }
}
