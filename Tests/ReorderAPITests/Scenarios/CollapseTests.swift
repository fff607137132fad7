import Testing

@testable import ReorderService

@Suite struct CollapseTests {
    private static let expand = #"{"collapsed":false}"#

    @Test(arguments: Setup.once)
    func anExpansionListsAtMostAThousandRows(setup: Setup) throws {
        try withServer(setup) { server throws in
            let limit = ShownRows.maximumTasks
            for count in [limit, limit + 1] {
                let tasks = ["a"] + (0..<count).map { "t\($0)<a" }
                try server.make(["l": draft(tasks)])
                _ = try server.client.post("/tasks/a/collapse")
                let key = ["Idempotency-Key": "k\(count)"]
                let answer = try server.client.post("/tasks/a/collapse", Self.expand, key)
                let rows = answer.json["rows"]?["inserted"]
                #expect(rows?["start"] == 1)
                #expect(rows?["count"]?.int == count)
                #expect(rows?["tasks"]?.array.count == (count > limit ? 0 : count))
                #expect((rows?["tasks"] == .null) == (count > limit))
                // The same response is stored for retries.
                let again = try server.client.post("/tasks/a/collapse", Self.expand, key)
                #expect(again.body == answer.body)
                // The omitted rows can be read as the contract describes.
                let window = try server.client.get(
                    "/lists/l?visible=true&offset=1&limit=\(count)")
                #expect(window.json["tasks"]?.array.count == count)
                _ = try server.client.delete("/lists/l")
            }
        }
    }

    @Test(arguments: Setup.once)
    func anExpansionListsAtMostAMebibyteOfRows(setup: Setup) throws {
        try withServer(setup) { server throws in
            // 256 titles of 4,096 bytes.
            let rows = ShownRows.maximumBytes / 4_096
            let title = String(repeating: "x", count: 4_096)
            for extra in ["", "y"] {
                let tasks = (0..<rows).map { _ in #"{"title":"\#(title)","parent":"a"}"# }
                try server.make([
                    "l": """
                    {"title":"l","tasks":[{"id":"a","title":"a","collapsed":true},
                    {"title":"\(extra)","parent":"a"},\(tasks.joined(separator: ","))]}
                    """
                ])
                let answer = try server.client.post("/tasks/a/collapse", Self.expand)
                let inserted = answer.json["rows"]?["inserted"]
                #expect(inserted?["count"]?.int == rows + 1)
                #expect((inserted?["tasks"] == .null) == !extra.isEmpty)
                _ = try server.client.delete("/lists/l")
            }
        }
    }
}
