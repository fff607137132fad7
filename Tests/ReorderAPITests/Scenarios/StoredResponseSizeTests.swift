import Testing

@testable import ReorderAPI

/// How much of a response is stored for its key. Without a limit, requests that change nothing
/// could fill the store.
@Suite struct StoredResponseSizeTests {
    private static let task = 8_000

    /// Makes a list with tasks that have about 8,000 bytes of data each.
    private func make(_ server: ServerUnderTest, tasks: Int) throws {
        let data = String(repeating: "z", count: Self.task)
        let tasks = (0..<tasks).map { #"{"id":"t\#($0)","title":"t","data":{"x":"\#(data)"}}"# }
        let made = try server.client.send(
            "PUT", "/lists/l", #"{"title":"l","tasks":[\#(tasks.joined(separator: ","))]}"#)
        try #require(made.status == 201)
    }

    private func ids(_ count: Int) -> String {
        (0..<count).map { #""t\#($0)""# }.joined(separator: ",")
    }

    /// Requests whose responses have more than 1 MiB.
    private var large: [(path: String, body: String)] {
        let move = #""tasks":[\#(ids(140))]"#
        let block = #"{"op":"move",\#(move),"position":0,"section":null}"#
        let done = (0..<140).map { #"{"op":"update","task":"t\#($0)","set":{"done":false}}"# }
        return [
            ("/lists/l/move", #"{\#(move),"position":0,"section":null}"#),
            ("/lists/l/move?dryRun=true", #"{\#(move),"position":0,"section":null}"#),
            ("/lists/l/move", #"{\#(move),"after":"gone"}"#),
            ("/lists/l/move", #"{\#(move),"position":1}"#),
            ("/lists/l/move", #"{\#(move),"toList":"m"}"#),
            ("/lists/m/batch", #"{"ops":[\#(block),\#(block)]}"#),
            ("/lists/m/batch", #"{"ops":[\#(done.joined(separator: ","))]}"#),
            (
                "/lists/m/batch",
                #"{"atomic":false,"ops":[{"op":"move",\#(move),"after":"gone"},\#(block)]}"#
            ),
        ]
    }

    @Test(arguments: Setup.all)
    func largeResponsesAreStoredWithoutTasks(setup: Setup) throws {
        try withServer(setup) { server throws in
            try make(server, tasks: 141)
            _ = try server.client.send("PUT", "/lists/m", #"{"title":"m"}"#)
            for (index, request) in large.enumerated() {
                let key = ["Idempotency-Key": "k\(index)"]
                let first = try server.client.send("POST", request.path, request.body, key)
                #expect(first.body.count > 1 << 20, "\(request.path) \(first.text.prefix(300))")
                let again = try server.client.send("POST", request.path, request.body, key)
                #expect(again["Idempotent-Replay"] == "true")
                #expect(again.status == first.status)
                #expect(again["ETag"] == first["ETag"])
                #expect(again.json["version"] == first.json["version"])
                #expect(again.json["changed"] == first.json["changed"])
                #expect(again.json["from"] == first.json["from"])
                #expect(again.json["code"] == first.json["code"])
                #expect(again.json["to"] == first.json["to"])
                #expect(again.body.count < 100 << 10, "\(request.path) \(again.body.count)")
                if first.status == 200, first.json["results"] == nil {
                    #expect(again.json["tasks"] == .null)
                }
            }
        }
    }

    @Test(arguments: Setup.all)
    func aResponseOfAMebibyteIsStoredWhole(setup: Setup) throws {
        try withServer(setup) { server throws in
            try make(server, tasks: 141)
            // As many tasks as give at most 1 MiB.
            let body = { count in #"{"tasks":[\#(self.ids(count))],"position":1}"# }
            let one = try server.client.post("/lists/l/move?dryRun=true", body(1)).body.count
            let two = try server.client.post("/lists/l/move?dryRun=true", body(2)).body.count
            let fitting = ((1 << 20) - one) / (two - one)
            for count in [fitting, fitting + 8] {
                let key = ["Idempotency-Key": "k\(count)"]
                let first = try server.client.send("POST", "/lists/l/move", body(count), key)
                let again = try server.client.send("POST", "/lists/l/move", body(count), key)
                #expect(first.json["changed"] == true)
                #expect(again["Idempotent-Replay"] == "true")
                #expect((again.body == first.body) == (first.body.count <= 1 << 20))
                #expect((first.body.count <= 1 << 20) == (count == fitting))
            }
            // 64 KiB are 7 tasks, if nothing changes.
            for (path, count, isWhole) in [
                ("/lists/l/move?dryRun=true", 7, true), ("/lists/l/move?dryRun=true", 8, false),
            ] {
                let key = ["Idempotency-Key": "d\(count)"]
                let first = try server.client.send("POST", path, body(count), key)
                let again = try server.client.send("POST", path, body(count), key)
                #expect((first.body.count <= 64 << 10) == isWhole)
                #expect((again.body == first.body) == isWhole)
                #expect(again["Idempotent-Replay"] == "true")
            }
        }
    }

    @Test func theResponseToABatchHas16MebibytesOfTasks() throws {
        try withServer(.inProcess) { server throws in
            try make(server, tasks: 10)
            // The title, and the data's name and quotes.
            let bytes = Self.task + 1 + #"{"x":""}"#.utf8.count
            let fitting = (16 << 20) / bytes
            for (count, status) in [(fitting, 200), (fitting + 10, 422)] {
                // Blocks of ten tasks, and single ones.
                let block = #"{"op":"move","tasks":[\#(ids(10))],"position":0}"#
                let one = #"{"op":"update","task":"t0","set":{"done":false}}"#
                let ops =
                    Array(repeating: block, count: count / 10)
                    + Array(repeating: one, count: count % 10)
                let body = #"{"ops":[\#(ops.joined(separator: ","))]}"#
                let response = try server.client.post("/lists/l/batch", body)
                #expect(response.status == status, "\(response.text.prefix(300))")
            }
        }
    }

    @Test(arguments: Setup.all)
    func largeResultsOfOpsAreStoredWithoutTasks(setup: Setup) throws {
        try withServer(setup) { server throws in
            try make(server, tasks: 3)
            // Around the limit of 2 KiB: the result of an update is its title and about 400 bytes.
            for title in [1_000, 1_600, 1_700, 1_800, 1_900, 3_000] {
                let text = String(repeating: "y", count: title)
                let create =
                    #"{"op":"create","id":"n\#(title)","title":"\#(text)","opId":"c\#(title)"}"#
                let move = #"{"op":"move","tasks":["n\#(title)"],"position":0,"opId":"m\#(title)"}"#
                let refused = #"{"op":"move","task":"n\#(title)","after":"x","opId":"r\#(title)"}"#
                let body = #"{"atomic":false,"ops":[\#(create),\#(move),\#(refused)]}"#
                let first = try server.client.post("/lists/l/batch", body)
                let again = try server.client.post("/lists/l/batch", body)
                let results = first.json["results"]?.array ?? []
                let replayed = again.json["results"]?.array ?? []
                #expect(results.count == 3)
                #expect(replayed.count == 3)
                #expect(again.json["changed"] == false)
                for (result, replay) in zip(results, replayed) {
                    #expect(replay["replayed"] == true)
                    #expect(replay["status"] == result["status"])
                    #expect(replay["problem"]?["code"] == result["problem"]?["code"])
                    #expect(replay["from"] == result["from"])
                }
                let isWhole = title <= 1_000
                let isCut = title == 3_000
                #expect(!isWhole || replayed[0]["task"] == results[0]["task"])
                #expect(!isCut || replayed[0]["task"] == .null)
                #expect(!isCut || replayed[1]["tasks"] == .null)
                #expect(!isCut || replayed[2]["problem"]?["task"] == nil)
                #expect(again.body.count <= 3 * (2 << 10) + 500)
            }
        }
    }

    /// Results that are stored without tasks do not count towards the tasks of a response.
    @Test func aBatchRepeatsManyLargeResults() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft((0..<101).map { "t\($0)" })])
            let op = #"{"op":"move","tasks":[\#(ids(101))],"position":0,"opId":"1"}"#
            // With their tasks, the results of the second batch would have 10,100.
            for count in [1, 100] {
                let ops = Array(repeating: op, count: count).joined(separator: ",")
                let response = try server.client.post("/lists/l/batch", #"{"ops":[\#(ops)]}"#)
                #expect(response.status == 200, "\(response.text.prefix(300))")
            }
        }
    }
}
