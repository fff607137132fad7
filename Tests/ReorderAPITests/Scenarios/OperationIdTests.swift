import Testing

@testable import ReorderAPI

/// Ops with an `opId`.
@Suite struct OperationIdTests {
    private func batch(_ ops: [String], atomic: Bool = true) -> String {
        #"{"atomic":\#(atomic),"ops":[\#(ops.joined(separator: ","))]}"#
    }

    private let ops = [
        #"{"op":"create","opId":"1","title":"No id","parent":"a"}"#,
        #"{"op":"move","opId":"2","task":"b","before":"a"}"#,
        #"{"op":"move","opId":"3","tasks":["c"],"position":0}"#,
        #"{"op":"collapse","opId":"4","task":"a"}"#,
        #"{"op":"update","opId":"5","task":"a","set":{"done":true}}"#,
        #"{"op":"delete","opId":"6","task":"d"}"#,
        #"{"op":"section-create","opId":"7","section":"s","title":"S"}"#,
        #"{"op":"section-create","opId":"8","title":"No id","position":0}"#,
        #"{"op":"section-update","opId":"9","section":"s","title":"T"}"#,
        #"{"op":"section-move","opId":"10","section":"s","position":0}"#,
        #"{"op":"section-delete","opId":"11","section":"s","tasks":"delete"}"#,
        #"{"op":"list","opId":"12","set":{"title":"New","collapseSubElements":true}}"#,
    ]

    @Test(arguments: Setup.all)
    func aRepeatedOpIsAppliedOnceAndReplayed(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c", "d"])])
            let first = try server.client.post("/lists/l/batch", batch(ops))
            #expect(first.json["version"] == 2, "\(first.text)")
            let results = first.json["results"]?.array ?? []
            #expect(results.map { $0["opId"]?.string } == (1...12).map(String.init))
            let document = try server.document("l")
            for atomic in [true, false] {
                // In another order and with other formatting.
                let again = try server.client.post(
                    "/lists/l/batch",
                    batch(
                        ops.reversed().map { $0.replacing(",", with: " , ") }, atomic: atomic))
                #expect(again.json["version"] == 2, "\(again.text)")
                #expect(again.json["changed"] == false)
                let replayed = results.reversed().map { result in
                    JSONValue.object(result.object.merging(["replayed": true]) { $1 })
                }
                #expect(again.json["results"] == .array(replayed))
                #expect(try server.document("l") == document)
                try server.reopen()
            }
        }
    }

    @Test(arguments: Setup.all)
    func anotherOpWithTheIdIsRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            _ = try server.client.post("/lists/l/batch", batch([ops[1]]))
            let other = [
                #"{"op":"create","id":"n","title":"n"}"#,
                #"{"op":"move","opId":"2","task":"b","before":"a","position":0}"#,
            ]
            let refusal = try server.refused(
                422, "key_reused", "POST", "/lists/l/batch", batch(other))
            #expect(refusal.json["pointer"] == "/ops/1")
            let each = try server.client.post("/lists/l/batch", batch(other, atomic: false))
            #expect(each.json["results"]?[0]?["status"] == 201)
            #expect(each.json["results"]?[1]?["status"] == 422)
            #expect(each.json["results"]?[1]?["problem"]?["code"] == "key_reused")
            #expect(try server.order() == ["b", "a", "n"])
        }
    }

    @Test(arguments: Setup.all)
    func aStoredRefusalIsReplayedAndFailsAnAtomicBatch(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a"])])
            let cycle = #"{"op":"move","opId":"x","task":"a","parent":"b"}"#
            let first = try server.client.post("/lists/l/batch", batch([cycle], atomic: false))
            #expect(first.json["results"]?[0]?["status"] == 409)
            #expect(first.json["changed"] == false)
            _ = try server.client.post("/lists/l/move", #"{"task":"b","section":null}"#)
            try server.reopen()
            let again = try server.client.post("/lists/l/batch", batch([cycle], atomic: false))
            let result = again.json["results"]?[0]
            #expect(result?["status"] == 409)
            #expect(result?["replayed"] == true)
            #expect(result?["problem"]?["code"] == "cycle")
            #expect(result?["problem"]?["pointer"] == nil)
            let atomic = try server.refused(
                409, "cycle", "POST", "/lists/l/batch", batch([ops[0], cycle]))
            #expect(atomic.json["pointer"] == "/ops/1")
            // The error has the list's current version, and is marked as replayed.
            let version = try server.client.get("/lists/l").json["version"]
            #expect(version == 2)
            #expect(atomic.json["version"] == version)
            #expect(atomic["ETag"] == entityTag(2))
            #expect(atomic.json["replayed"] == true)
            // Nothing of the failed batch is stored.
            let alone = try server.client.post("/lists/l/batch", batch([ops[0]]))
            #expect(alone.json["results"]?[0]?["status"] == 201)
        }
    }

    @Test(arguments: Setup.all)
    func theSameIdTwiceInABatchIsTheRepeat(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let answer = try server.client.post("/lists/l/batch", batch([ops[0], ops[0]]))
            let results = answer.json["results"]
            #expect(results?[0]?["task"] == results?[1]?["task"])
            #expect(results?[1]?["replayed"] == true)
            #expect(try server.order().count == 3)
        }
    }

    @Test(arguments: Setup.all)
    func aKeyAndOpIdsCanBeCombined(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c", "d"])])
            let key = ["Idempotency-Key": "k"]
            let first = try server.client.post("/lists/l/batch", batch(ops), key)
            let again = try server.client.post("/lists/l/batch", batch(ops), key)
            #expect(again.text == first.text)
            #expect(again["Idempotent-Replay"] == "true")
            let other = try server.client.post(
                "/lists/l/batch", batch(ops), ["Idempotency-Key": "other"])
            #expect(other["Idempotent-Replay"] == nil)
            #expect(other.json["changed"] == false)
        }
    }

    @Test(arguments: Setup.once)
    func anOpIdHasTheFormOfOtherIds(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            func move(_ id: String) -> String {
                batch([#"{"op":"move","opId":"\#(id)","task":"a","position":1}"#])
            }
            for id in ["", "a b", "\u{212A}", String(repeating: "i", count: 65)] {
                let refusal = try server.refused(
                    422, "invalid_body", "POST", "/lists/l/batch", move(id))
                #expect(refusal.json["pointer"] == "/ops/0/opId")
            }
            for id in ["0", String(repeating: "i", count: 64)] {
                #expect(try server.client.post("/lists/l/batch", move(id)).status == 200)
            }
        }
    }

    /// The other op refuses its step, or is in a step that is refused for another op. In both cases the
    /// first result stays, and the rest of the batch is stored.
    @Test(arguments: Setup.all, [true, false])
    func anIdOfAnotherOpInARefusedStep(setup: Setup, inTheSameBatch: Bool) throws {
        let create = #"{"op":"create","opId":"1","id":"n","title":"N"}"#
        let refused = #"{"op":"delete","opId":"1","task":"a"}"#
        let unknown = #"{"op":"delete","task":"x"}"#
        for step in ["\(unknown),\(refused)", "\(refused),\(unknown)"] {
            try withServer(setup) { server throws in
                try server.make(["l": draft(["a", "b"])])
                let batches =
                    inTheSameBatch
                    ? ["[\(create)],[\(step)],[\(ops[1])]"]
                    : ["[\(create)]", "[\(step)],[\(ops[1])]"]
                for steps in batches {
                    let answer = try server.client.post("/lists/l/batch", #"{"steps":[\#(steps)]}"#)
                    #expect(answer.status == 200, "\(answer.text)")
                }
                #expect(try server.order() == ["b", "a", "n"])
                let again = try server.client.post("/lists/l/batch", #"{"steps":[[\#(create)]]}"#)
                #expect(again.json["results"]?[0]?["status"] == 201)
                #expect(again.json["results"]?[0]?["replayed"] == true)
            }
        }
    }
}
