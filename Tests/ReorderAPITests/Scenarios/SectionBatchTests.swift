import Testing

/// Ops that change sections and the list's settings.
@Suite struct SectionBatchTests {
    private func batch(_ ops: String, atomic: Bool = true) -> String {
        #"{"atomic":\#(atomic),"ops":[\#(ops)]}"#
    }

    @Test(arguments: Setup.once)
    func sectionsAndSettingsChangeWithTasksAsOneChange(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let answer = try server.client.post(
                "/lists/l/batch",
                batch(
                    """
                    {"op":"section-create","section":"s","title":"S"},
                    {"op":"section-create","section":"t","title":"T","position":0},
                    {"op":"section-update","section":"s","title":"New"},
                    {"op":"move","task":"a","section":"s"},
                    {"op":"section-move","section":"s","position":0},
                    {"op":"section-delete","section":"t"},
                    {"op":"list","set":{"title":"L","elementsOffset":1,"collapseSubElements":true,
                        "moves":"siblings"}}
                    """))
            #expect(answer.json["version"] == 2, "\(answer.text)")
            let results = answer.json["results"]
            #expect(
                results?.array.map { $0["status"]?.int } == [201, 201, 200, 200, 200, 200, 200])
            #expect(
                results?.array.map { $0["op"]?.string } == [
                    "section-create", "section-create", "section-update", "move", "section-move",
                    "section-delete", "list",
                ])
            #expect(results?[2]?["section"] == ["id": "s", "title": "New", "tasks": 0])
            #expect(results?[4]?["section"] == ["id": "s", "title": "New", "tasks": 1])
            #expect(results?[5]?["section"] == nil)
            let document = try server.client.get("/lists/l").json
            #expect(document["sections"] == [["id": "s", "title": "New", "tasks": 1]])
            #expect(document["title"] == "L")
            #expect(document["elementsOffset"] == 1)
            #expect(document["collapseSubElements"] == true)
            #expect(document["moves"] == "siblings")
            let nothing = try server.client.post("/lists/l/batch", batch(#"{"op":"list"}"#))
            #expect(nothing.json["changed"] == false)
        }
    }

    @Test(arguments: Setup.once)
    func aSectionsTasksAreKeptOrDeletedWithIt(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c"])])
            let answer = try server.client.post(
                "/lists/l/batch",
                batch(
                    """
                    {"op":"section-create","section":"s","title":""},
                    {"op":"section-create","section":"t","title":""},
                    {"op":"section-create","section":"u","title":""},
                    {"op":"move","task":"a","section":"s"}, {"op":"move","task":"b","section":"t"},
                    {"op":"move","task":"c","section":"u"},
                    {"op":"section-delete","section":"s"},
                    {"op":"section-delete","section":"t","tasks":"delete"},
                    {"op":"section-delete","section":"u","tasks":"keep"}
                    """))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try server.order() == ["a", "c"])
            // The ids of tasks that were deleted with a section are free again.
            try server.make(["m": draft(["b"])])
        }
    }

    @Test(arguments: Setup.once)
    func refusedSectionOpsHaveTheCodesOfTheirRequests(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let ops = [
                (#"{"op":"section-create","section":"s","title":"x"}"#, 409, "id_taken"),
                (#"{"op":"section-update","section":"x","title":"x"}"#, 404, "section_not_found"),
                (#"{"op":"section-move","section":"x","position":0}"#, 404, "section_not_found"),
                (#"{"op":"section-delete","section":"x"}"#, 404, "section_not_found"),
                (#"{"op":"section-delete","section":"s"}"#, 409, "locked"),
                (#"{"op":"section-move","section":"t","position":0}"#, 409, "locked"),
            ]
            _ = try server.client.post(
                "/lists/l/batch",
                batch(
                    """
                    {"op":"section-create","section":"s","title":""},
                    {"op":"section-create","section":"t","title":""},
                    {"op":"move","task":"a","section":"s"},
                    {"op":"create","id":"b","title":"","section":"t"},
                    {"op":"list","set":{"elementsOffset":1}}
                    """))
            for (op, status, code) in ops {
                let refusal = try server.refused(
                    status, code, "POST", "/lists/l/batch",
                    batch(#"{"op":"list","set":{"title":"not kept"}},\#(op)"#))
                #expect(refusal.json["pointer"] == "/ops/1")
            }
            #expect(try server.client.get("/lists/l").json["version"] == 2)
            let all = ops.map(\.0).joined(separator: ",")
            let answer = try server.client.post("/lists/l/batch", batch(all, atomic: false))
            let results = answer.json["results"]?.array ?? []
            #expect(results.map { $0["status"]?.int } == ops.map(\.1))
            #expect(results.map { $0["problem"]?["code"]?.string } == ops.map(\.2))
            #expect(answer.json["changed"] == false)
        }
    }
}
