import Testing

@testable import ReorderAPI

/// The tag of a task identifies the task in one list.
@Suite struct EntityTagTests {
    @Test(arguments: Setup.all)
    func aTaskThatMovedIsNotUnchanged(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"]), "m": draft(["x"])])
            _ = try server.client.send("PATCH", "/lists/l", #"{"title":"New"}"#)
            let before = try server.client.get("/tasks/a")
            let tag = try #require(before["ETag"])
            for known in [tag, "W/\(tag)", "\(entityTag(9)), \(tag)", "*"] {
                #expect(
                    try server.client.get("/tasks/a", ["If-None-Match": known]).status == 304,
                    "\(known)")
            }
            _ = try server.client.post("/lists/l/move", #"{"task":"a","toList":"m"}"#)
            // Each list had version 2 while the task was in it.
            #expect(try server.client.get("/lists/m").json["version"]?.int == 2)
            for known in [tag, "W/\(tag)", entityTag(2)] {
                let now = try server.client.get("/tasks/a", ["If-None-Match": known])
                #expect(now.status == 200, "\(known)")
                #expect(now["ETag"] != tag)
            }
        }
    }

    @Test(arguments: Setup.all)
    func anEditOfATaskThatMovedIsRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"]), "m": draft(["x"])])
            _ = try server.client.send("PATCH", "/lists/l", #"{"title":"New"}"#)
            _ = try server.client.send("PATCH", "/lists/l", #"{"title":"Newer"}"#)
            let tag = try #require(try server.client.get("/tasks/a")["ETag"])
            _ = try server.client.post("/lists/l/move", #"{"task":"a","toList":"m"}"#)
            let theirs = try server.client.send("PATCH", "/tasks/a", #"{"title":"Theirs"}"#)
            #expect(theirs.json["version"]?.int == 3)
            for (method, path, body) in [
                ("PATCH", "/tasks/a", #"{"title":"Mine"}"#), ("DELETE", "/tasks/a", nil),
                ("POST", "/tasks/a/collapse", nil),
                ("PUT", "/task/a", #"{"title":"Mine"}"#),
            ] {
                let mine = try server.client.send(method, path, body, ["If-Match": tag])
                #expect(mine.status == 412, "\(method) \(path) \(mine.text)")
                #expect(mine.code == "version_mismatch")
            }
            #expect(try server.client.get("/tasks/a").json["title"]?.string == "Theirs")
        }
    }

    @Test(arguments: Setup.all)
    func aWriteOfATaskReturnsTheTasksTag(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            var tag = try #require(try server.client.get("/tasks/a")["ETag"])
            #expect(tag == entityTag(1, in: "l"))
            for (method, path, body) in [
                ("PATCH", "/tasks/a", #"{"title":"1"}"#), ("POST", "/tasks/a/collapse", nil),
                ("PUT", "/task/a", #"{"title":"2"}"#), ("PATCH", "/tasks/a", #"{"title":"3"}"#),
            ] {
                let answer = try server.client.send(method, path, body, ["If-Match": tag])
                #expect(answer.status == 200, "\(method) \(path) \(answer.text)")
                tag = try #require(answer["ETag"])
                #expect(try server.client.get("/tasks/a")["ETag"] == tag)
            }
            // The tag also matches the version of the list.
            let list = try server.client.send(
                "PATCH", "/lists/l", #"{"title":"x"}"#, ["If-Match": tag])
            #expect(list.status == 200)
        }
    }

    @Test(arguments: Setup.once)
    func aListsVersionInQuotesIsAccepted(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            #expect(try server.client.get("/lists/l")["ETag"] == entityTag(1))
            for (tag, status) in [
                (entityTag(2), 412), (entityTag(1, in: "m"), 412), (entityTag(1, in: ""), 412),
                ("\"1-ba9876543210\"", 412), ("\"1\"", 412), ("\"0\(versionToken(1))\"", 412),
                ("W/\(entityTag(1))", 412), (entityTag(1), 200),
            ] {
                let answer = try server.client.send(
                    "PATCH", "/tasks/a", #"{"title":"x"}"#, ["If-Match": tag])
                #expect(answer.status == status, "\(tag)")
            }
        }
    }

    // MARK: Tokens

    @Test func aTokenOfAnotherEpochMatchesNoVersion() {
        let tags = EntityTags(epoch: "0123456789ab")
        #expect(tags.token(7) == "7-0123456789ab")
        #expect(tags.list(7) == "\"7-0123456789ab\"")
        #expect(tags.task(7, in: "l") == "\"7-0123456789ab@l\"")
        for (token, version) in [
            ("7-0123456789ab", 7), ("7-ba9876543210", .max), ("0", 0), ("7", nil),
            ("9223372036854775807", nil),
        ] as [(Substring, Int?)] {
            #expect(tags.version(ofToken: token) == version, "\(token)")
        }
        #expect(tags.version(ofToken: "7", mayLackEpoch: true) == .max)
        for token in ["", "-", "x", "7-", "7-0123", "7-0123456789AB", "+7", "9223372036854775808"] {
            #expect(tags.version(ofToken: token[...]) == nil, "\(token)")
        }
        #expect(tags.seenVersion(ofTag: "\"7\"") == nil)
        #expect(tags.seenVersion(ofTag: "\"7@l\"") == nil)
        #expect(tags.seenVersion(ofTag: "\"7-ba9876543210@l\"") == nil)
        #expect(tags.seenVersion(ofTag: "\"7-0123456789ab@l\"")?.list == "l")
    }
}
