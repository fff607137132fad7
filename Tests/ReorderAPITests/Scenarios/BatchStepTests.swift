import Foundation
import Testing

@testable import ReorderAPI

/// Batches with `steps`.
@Suite struct BatchStepTests {
    private static let batch = "/lists/l/batch"

    private func steps(_ steps: [[String]]) -> String {
        let texts = steps.map { "[\($0.joined(separator: ","))]" }
        return #"{"steps":[\#(texts.joined(separator: ","))]}"#
    }

    /// Each is a step of the person: two completions, an addition, a deletion and a move.
    private let acts = [
        [#"{"op":"update","opId":"1","task":"a","set":{"done":true}}"#],
        [#"{"op":"update","opId":"2","task":"b","set":{"done":true}}"#],
        [#"{"op":"create","opId":"3","id":"n","title":"New"}"#],
        [
            #"{"op":"delete","opId":"4","task":"d"}"#,
            #"{"op":"move","opId":"5","task":"e","parent":"n"}"#,
        ],
        [#"{"op":"move","opId":"6","task":"c","before":"a"}"#],
    ]

    /// The changes after a version.
    private func changes(_ server: ServerUnderTest, since version: Int = 1) throws -> [JSONValue] {
        let page = try server.client.get("/lists/l/changes?since=\(versionToken(version))")
        return page.json["changes"]?.array ?? []
    }

    /// The last five lines of the history, newest first.
    private func history(_ server: ServerUnderTest) throws -> [JSONValue] {
        let page = try server.client.get("/lists/l/changes?order=desc&limit=5")
        return page.json["changes"]?.array ?? []
    }

    @Test(arguments: Setup.all)
    func eachStepIsAChange(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c", "d", "e"])])
            let answer = try server.client.post(Self.batch, steps(acts))
            #expect(answer.status == 200 && answer["ETag"] == entityTag(6), "\(answer.text)")
            #expect(answer.json["version"] == 6 && answer.json["changed"] == true)
            let results = answer.json["results"]?.array ?? []
            #expect(results.map { $0["opId"]?.string } == ["1", "2", "3", "4", "5", "6"])
            #expect(results.map { $0["status"]?.int } == [200, 200, 201, 200, 200, 200])
            #expect(try server.order() == ["c", "a", "b", "n", "e"])
            let changes = try changes(server)
            #expect(changes.map { $0["version"]?.int } == [2, 3, 4, 5, 6])
            #expect(changes.map { $0["opId"]?.string } == ["1", "2", "3", "4", "6"])
            #expect(changes.map { $0["ops"]?.array.count } == [1, 1, 1, 2, 1])
            let document = try server.document("l")
            try server.reopen()
            #expect(try server.document("l") == document)
        }
    }

    /// What a person did without a network: two completions, a new task, a deletion and a move. Sent in one request, they are five lines
    /// with five undos.
    @Test(arguments: Setup.all, [true, false])
    func eachStepOfABatchIsALineWithItsOwnUndo(setup: Setup, newestFirst: Bool) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c", "d"])])
            let single = [acts[0], acts[1], acts[2], [acts[3][0]], acts[4]]
            let sent = try server.client.post(Self.batch, steps(single))
            #expect(sent.json["version"] == 6, "\(sent.text)")
            #expect(try server.order() == ["c", "a", "b", "n"])
            let lines = try history(server)
            #expect(lines.map { $0["version"]?.int } == [6, 5, 4, 3, 2])
            #expect(
                lines.map { $0["steps"]?[0]?["op"]?.string }
                    == ["move", "delete", "insert", "update", "update"])
            #expect(lines.allSatisfy { $0["stepCount"] == 1 && $0["mayUndo"] == true })
            let versions = lines.compactMap { $0["version"]?.int }
            for version in newestFirst ? versions : versions.reversed() {
                let undo = try server.client.post("/lists/l/undo", #"{"version":\#(version)}"#)
                #expect(undo.status == 200, "\(undo.text)")
            }
            let list = try server.client.get("/lists/l").json
            // A task comes back after the sibling that preceded it then: d after c, which is at the top when the oldest are undone first.
            let order = newestFirst ? ["a", "b", "c", "d"] : ["d", "a", "b", "c"]
            #expect(try server.order() == order)
            #expect(list["version"] == 11 && list["tasks"]?.array.count { $0["done"] == true } == 0)
        }
    }

    @Test(arguments: Setup.all)
    func aRefusedStepAppliesNothingAndTheNextOnesGoOn(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c"])])
            let body = steps([
                [#"{"op":"delete","opId":"1","task":"c"}"#],
                [
                    #"{"op":"create","opId":"2","id":"n","title":"n"}"#,
                    #"{"op":"move","opId":"3","task":"a","before":"n"}"#,
                    #"{"op":"move","opId":"4","task":"a","parent":"b"}"#,
                    #"{"op":"delete","task":"b"}"#,
                ],
                [#"{"op":"update","opId":"6","task":"n","set":{"done":true}}"#],
                [#"{"op":"create","opId":"7","id":"m","title":"m"}"#],
            ])
            let answer = try server.client.post(Self.batch, body)
            let results = answer.json["results"]?.array ?? []
            #expect(
                results.map { $0["status"]?.int } == [200, 409, 409, 409, 409, 404, 201],
                "\(answer.text)")
            let problems = results.map { $0["problem"] }
            #expect(
                problems.map { $0?["pointer"]?.string } == [
                    nil, "/steps/1/2", "/steps/1/2", "/steps/1/2", "/steps/1/2", "/steps/2/0", nil,
                ])
            #expect(problems[1...4].allSatisfy { $0?["code"] == "cycle" && $0?["version"] == 2 })
            // Only the result of the faulty op has the task. Its state is the one before the step.
            let task = results[3]["problem"]?["task"]
            #expect(task?["id"] == "a" && task?["position"] == 0)
            #expect([1, 2, 4].allSatisfy { problems[$0]?["task"] == nil })
            #expect(answer.json["version"] == 3)
            #expect(try changes(server).map { $0["opId"]?.string } == ["1", "7"])
            #expect(try server.order() == ["a", "b", "m"])
            // What was decided stays so, although the refused step is now possible.
            _ = try server.client.post("/lists/l/move", #"{"task":"b","before":"a"}"#)
            try server.reopen()
            let document = try server.document("l")
            let again = try server.client.post(Self.batch, body)
            #expect(again.json["changed"] == false && again.json["version"] == 4, "\(again.text)")
            let repeated = again.json["results"]?.array ?? []
            #expect(repeated.map { $0["status"] } == results.map { $0["status"] })
            #expect(
                repeated.map { $0["replayed"] == true }
                    == [true, true, true, true, false, true, true])
            #expect(repeated[2]["problem"]?["code"] == "cycle")
            #expect(repeated[4]["problem"]?["pointer"] == "/steps/1/0", "\(again.text)")
            #expect(try server.document("l") == document)
        }
    }

    /// A client can divide its ops in another way after it has lost a response.
    @Test(arguments: Setup.all)
    func opsThatWereAppliedBeforeAreNotAppliedAgain(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c", "d", "e"])])
            _ = try server.client.post(Self.batch, steps([acts[0], acts[4] + acts[0]]))
            #expect(try server.order() == ["c", "a", "b", "d", "e"])
            let answer = try server.client.post(Self.batch, steps([acts[0] + acts[1], acts[2]]))
            let results = answer.json["results"]?.array ?? []
            #expect(results.map { $0["replayed"] == true } == [true, false, false])
            #expect(results.map { $0["status"]?.int } == [200, 200, 201])
            // Its first op names the step, although it was applied before.
            #expect(try changes(server).map { $0["opId"]?.string } == ["1", "6", "1", "3"])
            // The same id with another op refuses its step.
            let reused = [
                #"{"op":"delete","opId":"8","task":"b"}"#,
                #"{"op":"delete","opId":"1","task":"a"}"#,
            ]
            let other = try server.client.post(Self.batch, steps([reused, acts[4]]))
            let refused = other.json["results"]?.array ?? []
            #expect(
                refused.map { $0["problem"]?["code"]?.string } == ["key_reused", "key_reused", nil])
            // This is no decision about the list, so it is not stored.
            let alone = try server.client.post(Self.batch, steps([[reused[0]]]))
            #expect(alone.json["results"]?[0]?["status"] == 200)
            #expect(other.json["version"] == 5, "\(other.text)")
        }
    }

    @Test(arguments: Setup.all)
    func aStepThatChangesNothingIsNoChange(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            for body in [
                steps([]),
                steps([[#"{"op":"collapse","task":"a","collapsed":false}"#], acts[0]].dropLast()),
                steps([[#"{"op":"delete","task":"x"}"#]]),
            ] {
                let answer = try server.client.post(Self.batch, body)
                #expect(answer.json["changed"] == false && answer.json["version"] == 1)
            }
            let made = try server.client.post(
                Self.batch,
                steps([
                    [
                        #"{"op":"create","id":"n","title":"n"}"#, #"{"op":"delete","task":"n"}"#,
                    ], [#"{"op":"create","id":"n","title":"n"}"#],
                ]))
            #expect(made.json["version"] == 3, "\(made.text)")
            // Without ids, the changes have none.
            #expect(try changes(server).allSatisfy { $0["opId"] == nil })
            try server.refused(
                409, "id_taken", "PUT", "/lists/m", draft(["n"]), keeping: ["l"])
        }
    }

    @Test(arguments: Setup.all)
    func aConditionAKeyAndAShortResponseHoldForTheBatch(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c", "d", "e"])])
            try server.refused(
                412, "version_mismatch", "POST", Self.batch, steps(acts),
                ["If-Match": entityTag(2)])
            let fields = [
                "If-Match": entityTag(1), "Idempotency-Key": "k", "Prefer": "return=minimal",
                "Client-Id": "phone",
            ]
            let answer = try server.client.post(Self.batch, steps(acts), fields)
            #expect(answer.json["version"] == 6, "\(answer.text)")
            #expect(answer["Preference-Applied"] == "return=minimal")
            #expect(
                answer.json["results"]?[2]
                    == ["op": "create", "opId": "3", "status": 201, "id": "n"])
            let again = try server.client.post(Self.batch, steps(acts), fields)
            #expect(again.text == answer.text && again["Idempotent-Replay"] == "true")
            #expect(try changes(server).allSatisfy { $0["client"] == "phone" })
            #expect(try changes(server).count == 5)
        }
    }

    @Test(arguments: Setup.all)
    func rowsOfAnEarlierVersionCountInSteps(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c", "d"])])
            _ = try server.client.post("/lists/l/move", #"{"task":"d","position":0}"#)
            let move = #"{"op":"move","fromRow":0,"toRow":1,"version":1}"#
            let gone = #"{"op":"move","fromRow":0,"toRow":1,"version":9}"#
            let answer = try server.client.post(
                Self.batch,
                steps([
                    [#"{"op":"delete","task":"c"}"#], [#"{"op":"delete","task":"d"}"#, gone],
                    [move],
                ]))
            let results = answer.json["results"]
            #expect(results?[2]?["problem"]?["code"] == "history_gone", "\(answer.text)")
            #expect(results?[1]?["problem"]?["pointer"] == "/steps/1/1")
            #expect(results?[3]?["task"]?["id"] == "a")
            #expect(try server.order() == ["d", "b", "a"])
        }
    }

    @Test(arguments: Setup.once)
    func aMalformedStepIsReportedWithAPointer(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let op = #"{"op":"delete","task":"a"}"#
            for (body, pointer) in [
                (steps([[op], []]), "/steps/1"), (#"{"steps":[\#(op)]}"#, "/steps/0"),
                (steps([[op], [op, #"{"op":"delete"}"#]]), "/steps/1/1"),
                (steps([[op, #"{"op":"update","task":"a","set":{"x":1}}"#]]), "/steps/0/1/set/x"),
                (#"{"steps":[[\#(op)]],"ops":[]}"#, ""),
                (#"{"steps":[[\#(op)]],"atomic":true}"#, ""), (#"{"steps":7}"#, "/steps"),
                (#"{"atomic":true}"#, ""),
            ] {
                let refusal = try server.refused(
                    422, "invalid_body", "POST", Self.batch, body)
                #expect(refusal.json["pointer"] == JSONValue.string(pointer), "\(refusal.text)")
            }
        }
    }

    @Test func allStepsTogetherHaveTheLimitsOfABatch() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft(["a"] + (0..<100).map { "s\($0)<a" })])
            func batch(_ count: Int) -> String {
                let step = [true, false].map {
                    #"{"op":"collapse","task":"a","collapsed":\#($0)}"#
                }
                return steps(Array(repeating: step, count: count))
            }
            let many = try server.refused(422, "invalid_body", "POST", Self.batch, batch(501))
            #expect(many.json["pointer"] == "/steps/500/0")
            // Each step returns the collapsed task and the 100 rows that become visible.
            let large = try server.refused(422, "invalid_body", "POST", Self.batch, batch(100))
            #expect(large.json["pointer"] == "/steps/99/1")
            #expect(try server.client.post(Self.batch, batch(99)).json["version"] == 100)
        }
    }

    /// A small request must not return the same tasks for each op of a refused step.
    @Test func onlyOneResultOfARefusedStepHasTheTasks() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft((0..<100).map { "t\($0)" } + ["x<t0"])])
            let all = (0..<100).map { #""t\#($0)""# }.joined(separator: ",")
            let cycle = #"{"op":"move","tasks":[\#(all)],"parent":"x"}"#
            let collapse = #"{"op":"collapse","task":"t1"}"#
            let answer = try server.client.post(
                Self.batch, steps([Array(repeating: collapse, count: 999) + [cycle]]))
            #expect(answer.status == 200, "\(answer.text)")
            let results = answer.json["results"]?.array ?? []
            #expect(results.count == 1_000)
            #expect(results.dropLast().allSatisfy { $0["problem"]?["tasks"] == nil })
            #expect(results.last?["problem"]?["tasks"]?.array.count == 100)
        }
    }

    // MARK: Many steps

    private func many(_ count: Int) -> [[String]] {
        (0..<count).map {
            [#"{"op":"create","opId":"many-\#($0)","id":"m\#($0)","title":"Task \#($0)"}"#]
        }
    }

    /// They are more than the server has in memory for a stream.
    @Test(arguments: Setup.all)
    func streamsSendTheChangesOfAThousandSteps(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let list = try server.client.watch("l")
            try list.expect("hello", id: 1)
            let feed = try server.client.watchFeed()
            try feed.expect("hello")
            let answer = try server.client.post(Self.batch, steps(many(1_000)))
            #expect(answer.json["version"] == 1_001)
            for number in 0..<1_000 {
                let change = try list.expect("change", id: number + 2)
                #expect(change.data["opId"] == .string("many-\(number)"))
                let entry = try feed.expect("change")
                #expect(entry.data["change"] == change.data)
            }
        }
    }
}
