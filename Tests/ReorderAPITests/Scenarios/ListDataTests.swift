import Testing

/// Lists have `data` of their own.
@Suite struct ListDataTests {
    @Test(arguments: Setup.all)
    func aListHasData(setup: Setup) throws {
        try withServer(setup) { server throws in
            let list = #"{"title":"L","data":{"color":"red","x":{"y":1.50}},"tasks":[]}"#
            try server.make(["l": list])
            func data(_ list: String = "l") throws -> JSONValue? {
                try server.client.get("/lists/\(list)").json["data"]
            }
            #expect(try server.document("l").contains(#""data":{"color":"red","x":{"y":1.50}}"#))
            // A patch is merged.
            let patch = #"{"data":{"color":null,"x":{"z":2}}}"#
            #expect(try server.client.send("PATCH", "/lists/l", patch).json["changed"] == true)
            #expect(try data() == ["x": ["y": .double(1.5), "z": 2]])
            #expect(try server.client.send("PATCH", "/lists/l", patch).json["changed"] == false)
            let change = try server.client.get("/lists/l/changes?since=\(versionToken(1))").json[
                "changes"]
            #expect(
                change?[0]?["ops"]
                    == [["op": "list", "set": ["data": ["x": ["y": .double(1.5), "z": 2]]]]])
            let history = try server.client.get("/lists/l/changes?order=desc&limit=1").json
            #expect(history["changes"]?[0]?["steps"]?[0]?["data"] == true)
            #expect(history["changes"]?[0]?["steps"]?[0]?["settings"] == nil)
            try server.reopen()
            #expect(try data() == ["x": ["y": .double(1.5), "z": 2]])
            // A copy has it; the index does not.
            _ = try server.client.post("/lists/l/copy", #"{"id":"m"}"#)
            #expect(try data("m") == (try data()))
            #expect(try server.client.get("/lists").json["lists"]?[0]?["data"] == nil)
            // Null removes it, and an undo restores it.
            let ops = #"{"ops":[{"op":"list","set":{"data":null}}]}"#
            #expect(try server.client.post("/lists/l/batch", ops).status == 200)
            #expect(try data() == nil)
            #expect(try server.client.post("/lists/l/undo", #"{"version":3}"#).status == 200)
            #expect(try data() == ["x": ["y": .double(1.5), "z": 2]])
            // It is in the bin.
            _ = try server.client.delete("/lists/m")
            #expect(try server.client.post("/lists/m/restore").status == 201)
            #expect(try data("m") == (try data()))
            // A document without data has none.
            _ = try server.client.put("/lists/m", #"{"title":"M"}"#, ["If-Match": "*"])
            #expect(try data("m") == nil)
        }
    }
}
