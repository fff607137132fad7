import Foundation
import RandomRuns
import ReorderEngine
import ReorderJSON
import StoreTesting
import Testing

/// Applying the changes results in the document, at every version.
@Suite struct ReplayTests {
    @Test(arguments: Setup.all)
    func applyingTheChangesGivesEachVersion(setup: Setup) throws {
        let seed = RandomRun.seed
        // The date is long past, so that PostgreSQL's clock is ignored.
        let clock = TestClock(stoppedAt: try Date("2025-11-23T10:00:00Z", strategy: .iso8601))
        do {
            try withServer(setup, clock: clock) { server throws in
                try run(server, clock, seed: seed)
            }
        } catch {
            Issue.record("seed \(seed): \(error)")
            throw error
        }
    }

    private func run(_ server: ServerUnderTest, _ clock: TestClock, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var documents: [Int: String] = [:]
        var version = 0
        while version < 150 {
            clock.advance(seconds: 0.125)
            let answer = try send(&random, to: server.client)
            guard
                let changed = answer["ETag"].flatMap({ Int($0.dropFirst().prefix { $0.isNumber }) }
                ),
                changed > version
            else { continue }
            #expect(changed == version + 1)
            version = changed
            let document = try server.client.get("/lists/l")
            documents[version] = document.status == 200 ? document.text : nil
        }
        try server.reopen()

        var list: ReorderableList?
        let stream = try server.client.watch("l", "?since=0")
        try stream.expect("hello", id: 0)
        for next in 1...version {
            let page = try server.client.get(
                "/lists/l/changes?since=\(versionToken(next - 1))&limit=1")
            let change = try stream.expect("change", id: next)
            #expect(page.json["changes"]?[0] == change.data)
            let document = try ChangeDocument(json: Array(change.data.text.utf8))
            if document.operations == [.replace] {
                // Only this case needs the document.
                list = try documents[next].map {
                    try ListDocument(json: Array($0.utf8)).makeList()
                }
                continue
            }
            list?.changeTime = document.milliseconds
            for operation in document.operations { try list?.apply(operation) }
            let replayed = list.map {
                String(
                    decoding: ListDocument.json(id: "l", version: next, epoch: testEpoch, of: $0),
                    as: UTF8.self)
            }
            #expect(replayed == documents[next], "seed \(seed), version \(next)")
        }
    }

    /// Sends a random request that may change the list.
    private func send(
        _ random: inout SeededGenerator, to client: any APIClient
    ) throws -> APIResponse {
        func number(_ count: Int) -> Int { random.below(count) }
        func task() -> String { "t\(number(12))" }
        func section() -> String { "s\(number(3))" }
        func place() -> String {
            switch number(5) {
            case 0: #""after":"\#(task())""#
            case 1: #""before":"\#(task())""#
            case 2: #""parent":"\#(task())""#
            case 3: #""section":"\#(section())","position":\#(number(4))"#
            default: #""position":\#(number(6))"#
            }
        }
        switch number(23) {
        case 0...4: return try client.post("/lists/l/move", #"{"task":"\#(task())",\#(place())}"#)
        case 5:
            return try client.post(
                "/lists/l/move", #"{"tasks":["t1","t2","t3"],\#(place())}"#)
        case 6: return try client.post("/lists/l/move", #"{"fromRow":\#(number(9)),"toRow":2}"#)
        case 7...9:
            return try client.post(
                "/lists/l/tasks", #"{"id":"\#(task())","title":"T\#(number(99))",\#(place())}"#)
        case 10: return try client.delete("/tasks/\(task())")
        case 11:
            return try client.send(
                "PATCH", "/tasks/\(task())",
                #"{"title":"new","done":\#(number(2) == 0),"data":{"a":\#(number(9)),"b":null}}"#)
        case 12:
            return try client.post(
                "/tasks/\(task())/collapse", #"{"collapsed":\#(number(2) == 0)}"#)
        case 13:
            return try client.send(
                "PATCH", "/lists/l",
                #"{"title":"L\#(number(9))","collapseSubElements":\#(number(2) == 0)}"#)
        case 14:
            return try client.post(
                "/lists/l/sections",
                #"{"id":"\#(section())","title":"S","position":\#(number(3))}"#)
        case 15:
            return try client.send(
                "PATCH", "/lists/l/sections/\(section())",
                #"{"title":"S\#(number(9))","data":\#(number(3))}"#)
        case 16:
            return try client.post(
                "/lists/l/sections/\(section())/move", #"{"position":\#(number(3))}"#)
        case 17:
            return try client.delete(
                "/lists/l/sections/\(section())?tasks=\(number(2) == 0 ? "delete" : "keep")")
        case 18:
            let ops = (0..<3).map { _ in
                number(2) == 0
                    ? #"{"op":"move","task":"\#(task())",\#(place())}"#
                    : #"{"op":"create","id":"\#(task())","title":"B",\#(place())}"#
            }
            return try client.post(
                "/lists/l/batch", #"{"atomic":false,"ops":[\#(ops.joined(separator: ","))]}"#)
        case 19:
            return try client.send(
                "PUT", "/task/\(task())",
                #"{"list":"l","title":"E\#(number(9))","position":\#(number(4)),"hidesubtasks":1}"#)
        case 20:
            return try client.put(
                "/lists/l", draft(["t1", "t2<t1", "t3@s1", "t4<t3"]),
                number(2) == 0 ? ["If-Match": "*"] : [:])
        case 21:
            let version = try client.get("/lists/l").json["version"]?.int ?? 1
            return try client.post("/lists/l/undo", #"{"version":\#(version)}"#)
        default:
            return number(4) == 0 ? try client.delete("/lists/l") : try client.get("/lists/l")
        }
    }
}
