import Testing

@Suite struct ConditionTests {
    /// Writes that change the list `l` at any version.
    private static let writes: [(method: String, path: String, body: String?)] = [
        ("POST", "/lists/l/move", #"{"task":"a","position":9}"#),
        ("POST", "/lists/l/tasks", #"{"title":"new"}"#),
        ("POST", "/tasks/p/collapse", nil),
        ("DELETE", "/tasks/c", nil),
        ("PUT", "/lists/l", draft(["z"])),
        ("DELETE", "/lists/l", nil),
    ]
    private static let list = draft(["a", "b", "c", "p", "q<p"])

    @Test(arguments: Setup.memory)
    func everyWriteRequiresAVersionInIfMatch(setup: Setup) throws {
        try withServer(setup) { server throws in
            for (method, path, body) in Self.writes {
                try server.make(["l": Self.list])
                let version = try #require(try server.client.get("/lists/l").json["version"]?.int)
                for tag in [
                    entityTag(version - 1), entityTag(version + 1), "W/\(entityTag(version))",
                    "\"0\(versionToken(version))\"", "\"\(version)\"", "\"\"", "\"x\"",
                ] {
                    let answer = try server.refused(
                        412, "version_mismatch", method, path, body, ["If-Match": tag])
                    #expect(answer.json["version"]?.int == version)
                    #expect(answer["ETag"] == entityTag(version))
                }
                // A tag without quotes is invalid and would never match.
                for tag in [
                    "", ",",
                    versionToken(version), "W/\(versionToken(version))", "\"\(version)",
                    "\"x\", \(versionToken(version))", "\"",
                ] {
                    let refusal = try server.refused(
                        400, "bad_request", method, path, body, ["If-Match": tag])
                    #expect(refusal.json["detail"]?.string?.contains("quotes") == true)
                }
                let tag = "W/\"7\", \"a,b\" ,\(entityTag(version))"
                let done = try server.client.send(method, path, body, ["If-Match": tag])
                #expect(200..<300 ~= done.status, "\(method) \(path) \(done.text)")
                let owner = path.hasPrefix("/task") ? "l" : nil
                #expect(done["ETag"] == entityTag(version + 1, in: owner))
                _ = try server.client.delete("/lists/l")
            }
        }
    }

    @Test(arguments: Setup.all)
    func aStarMatchesAnyVersion(setup: Setup) throws {
        try withServer(setup) { server throws in
            let absent = try server.refused(
                412, "version_mismatch", "PUT", "/lists/l", Self.list, ["If-Match": "*"])
            #expect(absent.json["version"] == 0)
            #expect(absent["ETag"] == nil)
            for (method, path, body) in Self.writes {
                try server.make(["l": Self.list])
                try server.refused(
                    412, "version_mismatch", method, path, body, ["If-None-Match": "*"])
                let done = try server.client.send(method, path, body, ["If-Match": " * "])
                #expect(200..<300 ~= done.status, "\(method) \(path) \(done.text)")
                _ = try server.client.delete("/lists/l")
            }
            let made = try server.client.put("/lists/l", Self.list, ["If-None-Match": "*"])
            #expect(made.status == 201)
            try server.refused(
                412, "version_mismatch", "POST", "/lists", #"{"id":"l","title":"x"}"#,
                ["If-None-Match": "*"])
        }
    }

    @Test(arguments: Setup.all)
    func replacingNeedsAPrecondition(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list])
            let answer = try server.refused(
                428, "precondition_required", "PUT", "/lists/l", Self.list)
            #expect(answer.json["version"] == 1)
            #expect(answer["ETag"] == entityTag(1))
        }
    }

    @Test(arguments: Setup.all)
    func aReadReturns304ForAVersionThatTheClientHas(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list])
            _ = try server.client.delete("/tasks/c")
            let paths = [
                ("/lists/l", entityTag(2)), ("/lists/l?limit=1", entityTag(2)),
                ("/tasks/a", entityTag(2, in: "l")), ("/lists/l/changes", entityTag(2)),
            ]
            for (path, now) in paths {
                let length = try server.client.get(path, [:])["Content-Length"]
                for tag in [
                    now, "W/\(now)", "*", "\(entityTag(1)), \(now)", "\"x,\",W/\(now) , \"9\"",
                ] {
                    for method in ["GET", "HEAD"] {
                        let answer = try server.client.send(
                            method, path, nil, ["If-None-Match": tag])
                        #expect(answer.status == 304, "\(tag)")
                        #expect(answer["ETag"] == now)
                        #expect(answer["Content-Length"] == length)
                        #expect(answer["Connection"] == nil)
                        #expect(answer.body.isEmpty)
                    }
                }
                for tag in [
                    entityTag(1), "W/\(entityTag(3))", versionToken(2), "\"0\(versionToken(2))\"",
                    "\"2\"", "", "\"\(versionToken(2))",
                ] {
                    let answer = try server.client.get(path, ["If-None-Match": tag])
                    #expect(answer.status == 200, "\(tag)")
                }
            }
            #expect(try server.client.get("/lists/none", ["If-None-Match": "*"]).status == 404)
        }
    }

    @Test(arguments: Setup.memory)
    func repeatedFieldsAreCombined(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list])
            var call = APIRequest(method: "GET", target: "/lists/l")
            call.fields = [("If-None-Match", entityTag(9)), ("if-none-match", entityTag(1))]
            #expect(try server.client.send(call).status == 304)
        }
    }

    @Test(arguments: Setup.all)
    func missingResourcesAreNotFoundWhateverTheCondition(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let stale = ["If-Match": entityTag(7)]
            for (method, path, body) in [
                ("PATCH", "/lists/l/sections/none", "{}"),
                ("DELETE", "/lists/l/sections/none", nil),
                ("POST", "/lists/l/sections/none/move", #"{"position":0}"#),
            ] {
                try server.refused(404, "section_not_found", method, path, body, stale)
            }
            try server.refused(404, "task_not_found", "DELETE", "/tasks/none", nil, stale)
            try server.refused(404, "list_not_found", "PATCH", "/lists/none", "{}", stale)
            try server.refused(412, "version_mismatch", "DELETE", "/tasks/a", nil, stale)
        }
    }
}
