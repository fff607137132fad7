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
}
