import RandomRuns
import Testing

/// Sections that move to another list.
@Suite struct SectionTransferTests {
    private func state(_ server: ServerUnderTest, _ list: String) throws -> String {
        let document = try server.client.get("/lists/\(list)").json
        let sections = document["sections"]?.array.compactMap { $0["id"]?.string } ?? []
        let tasks = document["tasks"]?.array ?? []
        func ids(_ section: String?) -> String {
            tasks.filter { $0["section"]?.string == section }.compactMap { $0["id"]?.string }
                .joined(separator: " ")
        }
        return ([ids(nil)] + sections.map { "#\($0) \(ids($0))" }).joined(separator: " ")
            .trimmingCharacters(in: .whitespaces)
    }

    private func move(
        _ server: ServerUnderTest, _ section: String, _ body: String, from list: String = "l"
    ) throws -> APIResponse {
        try server.client.post("/lists/\(list)/sections/\(section)/move", body)
    }

    @Test(arguments: Setup.all) func aSectionMovesWithItsTasks(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "l": draft(["a", "b@s", "b1<b", "c@s", "d@t"]), "m": draft(["x", "y@u", "z@v"]),
            ])
            _ = try server.client.send(
                "PATCH", "/lists/l/sections/s", #"{"title":"Title","data":{"n":1}}"#)
            _ = try server.client.send("PATCH", "/tasks/c", #"{"done":true}"#)
            let before = try server.client.get("/tasks/b1").json
            let moved = try move(server, "s", #"{"toList":"m","position":1}"#)
            #expect(moved.status == 200 && moved.json["changed"] == true, "\(moved.text)")
            #expect(moved.json["list"] == "l" && moved.json["section"]?["title"] == "Title")
            #expect(moved.json["section"]?["data"] == ["n": 1])
            #expect(moved.json["to"] == ["list": "m", "version": 2])
            for _ in 0..<2 {
                #expect(try state(server, "l") == "a #t d")
                #expect(try state(server, "m") == "x #u y #s b b1 c #v z")
                #expect(try server.client.get("/tasks/b1").json["updatedAt"] == before["updatedAt"])
                #expect(try server.client.get("/tasks/c").json["done"] == true)
                try server.reopen()
            }
            let version = moved.json["version"]?.int ?? 0
            let undo = try server.client.post("/lists/l/undo", #"{"version":\#(version)}"#)
            #expect(undo.code == "undo_conflict")
            #expect(try move(server, "s", #"{"toList":"l"}"#, from: "m").status == 200)
            #expect(try state(server, "l") == "a #t d #s b b1 c")
            #expect(try state(server, "m") == "x #u y #v z")
            // The same list, and an empty section.
            #expect(try move(server, "s", #"{"toList":"l","position":0}"#).status == 200)
            #expect(try state(server, "l") == "a #s b b1 c #t d")
            _ = try server.client.delete("/tasks/d")
            #expect(try move(server, "t", #"{"toList":"m"}"#).status == 200)
            #expect(try state(server, "m") == "x #u y #v z #t")
        }
    }

    @Test(arguments: Setup.once) func aRefusalChangesNeitherList(setup: Setup) throws {
        for (source, target, body, status, code) in [
            (draft(["a@s"]), draft(["x@s"]), #"{"toList":"m"}"#, 409, "id_taken"),
            (draft(["a@s"]), draft(["x"]), #"{"toList":"none"}"#, 404, "list_not_found"),
            (
                draft(["a@s"]), draft(["x"], #""moves":"siblings""#), #"{"toList":"m"}"#, 409,
                "not_siblings"
            ),
            (
                draft(["a@s"], #""elementsOffset":1"#), draft(["x"]), #"{"toList":"m"}"#, 409,
                "locked"
            ),
            (
                draft(["a@s", "b@s"]), draft(["x"], #""maxTasksPerSection":1"#), #"{"toList":"m"}"#,
                409, "section_full"
            ),
            (
                draft(["a@s", "b<a"]), draft(["x"], #""maxDepth":1"#), #"{"toList":"m"}"#, 409,
                "max_depth"
            ),
            (draft(["a@s"]), draft(["x"]), "{}", 422, "invalid_body"),
            (draft(["a@s"]), draft(["x"]), #"{"toList":null}"#, 422, "invalid_body"),
        ] {
            try withServer(setup) { server throws in
                try server.make(["l": source, "m": target])
                try server.refused(
                    status, code, "POST", "/lists/l/sections/s/move", body, keeping: ["l", "m"])
            }
        }
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a@s"]), "m": draft([])])
            let missing = try move(server, "none", #"{"toList":"m"}"#)
            #expect(missing.status == 404 && missing.code == "section_not_found")
        }
    }

    /// A limit that was set later does not refuse the undo.
    @Test(arguments: Setup.once) func anOverfullSectionComesBack(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a@s", "b@s", "c<b"]), "m": draft(["x"])])
            _ = try server.client.send(
                "PATCH", "/lists/l",
                #"{"maxTasksPerSection":1,"maxDepth":1,"tasksPerParent":1}"#)
            let moved = try move(server, "s", #"{"toList":"m","undo":false}"#)
            #expect(moved.status == 200, "\(moved.text)")
            #expect(try move(server, "s", #"{"toList":"l"}"#, from: "m").status == 409)
            let back = try move(server, "s", #"{"toList":"l","undo":true}"#, from: "m")
            #expect(back.status == 200, "\(back.text)")
            #expect(try state(server, "l") == "#s a b c")
            // In one list it changes nothing.
            let staying = try move(server, "s", #"{"position":0,"undo":true}"#)
            #expect(staying.status == 200, "\(staying.text)")
            try server.refused(
                422, "invalid_body", "POST", "/lists/l/sections/s/move",
                #"{"toList":"m","undo":1}"#)
        }
    }

    /// Both lists need the scope `write`.
    @Test(arguments: Setup.once) func bothListsMustBeWritable(setup: Setup) throws {
        try withServer(setup, access: TestTokens.control()) { server throws in
            let owner = server.client(with: "write")
            for list in ["l", "other"] {
                let tasks = ["\(list)-a@\(list)-s"]
                #expect(try owner.put("/lists/\(list)", draft(tasks)).status == 201)
            }
            for (token, list, target) in [
                (TestTokens.writer, "l", "other"), (TestTokens.writer, "other", "l"),
                ("write:mine*,l", "l", "other"), ("write:other", "other", "l"),
            ] {
                let answer = try server.client(with: token).post(
                    "/lists/\(list)/sections/\(list)-s/move", #"{"toList":"\#(target)"}"#)
                #expect(answer.status == 403, "\(token): \(answer.text)")
            }
            let moved = try owner.post("/lists/l/sections/l-s/move", #"{"toList":"other"}"#)
            #expect(moved.status == 200)
        }
    }
}
