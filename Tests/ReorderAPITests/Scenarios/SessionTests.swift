import Testing

/// A session in which a client uses most of the endpoints.
@Suite struct SessionTests {
    @Test(arguments: Setup.all)
    func theSessionOfTheReadmeWorks(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            let made = try client.put(
                "/lists/groceries",
                """
                {"title": "Groceries", "collapseSubElements": true,
                 "sections": [{"id": "market", "title": "Market"}],
                 "tasks": [
                   {"id": "milk",   "title": "Milk"},
                   {"id": "fruit",  "title": "Fruit",  "section": "market"},
                   {"id": "apples", "title": "Apples", "section": "market", "parent": "fruit"},
                   {"id": "pears",  "title": "Pears",  "section": "market", "parent": "fruit"},
                   {"id": "bread",  "title": "Bread",  "section": "market"}]}
                """)
            #expect(made.status == 201)
            #expect(made["Location"] == "/lists/groceries")
            #expect(made["ETag"] == entityTag(1))
            #expect(made.json == ["list": "groceries", "version": 1, "changed": true])

            let move = "/lists/groceries/move"
            let after = try client.post(move, #"{"task": "fruit", "after": "bread"}"#).json
            #expect(after["placedBy"] == "after")
            #expect(after["collapsed"] == ["fruit"])
            #expect(after["from"] == ["section": "market", "parent": nil, "position": 0, "row": 1])
            #expect(after["task"]?["position"] == 1)
            #expect(after["task"]?["row"] == 2)

            let fallback = try client.post(
                move, #"{"task": "milk", "after": "gone", "before": "fruit", "position": 0}"#)
            #expect(fallback.json["placedBy"] == "before")
            #expect(try server.order("groceries") == ["bread", "milk", "fruit", "apples", "pears"])

            let rows = try client.post(move, #"{"fromRow": 0, "toRow": 1}"#).json
            #expect(rows["task"]?["id"] == "bread")
            #expect(try server.order("groceries") == ["milk", "bread", "fruit", "apples", "pears"])

            let block = try client.post(
                move, #"{"tasks": ["bread", "milk"], "section": "market", "position": 0}"#
            ).json
            #expect(block["tasks"]?[0]?["id"] == "bread")
            #expect(block["from"]?[0]?["position"] == 1)
            #expect(try server.order("groceries") == ["bread", "milk", "fruit", "apples", "pears"])

            let dry = try client.post("\(move)?dryRun=true", #"{"task": "pears", "section": null}"#)
            #expect(dry.json["task"]?["section"] == JSONValue.null)

            let expanded = try client.post("/tasks/fruit/collapse", #"{"collapsed": false}"#).json
            #expect(expanded["rows"]?["inserted"]?["start"] == 3)
            #expect(expanded["rows"]?["inserted"]?["count"] == 2)
            #expect(expanded["rows"]?["inserted"]?["tasks"]?[0]?["id"] == "apples")
            let collapsed = try client.post("/tasks/fruit/collapse").json
            #expect(collapsed["rows"] == ["removed": ["start": 3, "count": 2]])

            let refused = try client.post(move, #"{"task": "fruit", "parent": "apples"}"#)
            #expect(refused.code == "cycle")
            #expect(refused.json["task"]?["row"] == 2)

            let document = try client.get("/lists/groceries")
            #expect(document["ETag"] == entityTag(7))
            #expect(document.json["rows"] == 3)
            let unchanged = try client.get("/lists/groceries", ["If-None-Match": entityTag(7)])
            #expect(unchanged.status == 304)
            #expect(unchanged.body.isEmpty)
            #expect(try client.get("/tasks/apples").json["row"] == JSONValue.null)
        }
    }
}
