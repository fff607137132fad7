import Testing

@Suite struct PathTests {
    @Test(arguments: Setup.memory)
    func anInvalidIdIsNotFound(setup: Setup) throws {
        try withServer(setup) { server throws in
            for id in ["a%2Fb", "%2F", "a%20b", "%C3%A9", "%22", "%2e%2f", "x%3Fy", ":id"] {
                try server.refused(404, "list_not_found", "GET", "/lists/\(id)", keeping: [])
                try server.refused(404, "list_not_found", "DELETE", "/lists/\(id)", keeping: [])
                try server.refused(
                    404, "list_not_found", "POST", "/lists/\(id)/move",
                    #"{"task":"a","position":0}"#, keeping: [])
                try server.refused(404, "task_not_found", "GET", "/tasks/\(id)", keeping: [])
                try server.refused(
                    422, "invalid_body", "PUT", "/lists/\(id)", #"{"title":""}"#, keeping: [])
            }
        }
    }

    @Test(arguments: Setup.memory)
    func anEscapedIdIsTheSameId(setup: Setup) throws {
        try withServer(setup) { server throws in
            #expect(try server.client.put("/lists/%61%7E", #"{"title":""}"#).status == 201)
            #expect(try server.client.get("/lists/a~").json["id"] == "a~")
        }
    }

    @Test(arguments: Setup.memory)
    func unknownPathsAreNotFoundAndWrongMethodsGetAllow(setup: Setup) throws {
        try withServer(setup) { server throws in
            for path in [
                "/lists//", "/lists//move", "/lists/l//", "/lists/l/nothing", "///",
                "/Lists/l", "/Lists/l/", "/drags", "/drags/", "/nothing/",
            ] {
                try server.refused(404, "not_found", "GET", path, keeping: [])
            }
            for (method, path, allow) in [
                ("PUT", "/lists", "GET, HEAD, OPTIONS, POST"),
                ("POST", "/lists/l", "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"),
                ("PUT", "/lists/l/tasks", "GET, HEAD, OPTIONS, POST"),
                ("PUT", "/lists/l/move", "OPTIONS, POST"),
                ("PUT", "/tasks/a", "DELETE, GET, HEAD, OPTIONS, PATCH"),
                ("DELETE", "/tasks/a/collapse", "OPTIONS, POST"),
                ("POST", "/healthz", "GET, HEAD, OPTIONS"),
                ("DELETE", "/openapi.yaml", "GET, HEAD, OPTIONS"),
                ("get", "/healthz", "GET, HEAD, OPTIONS"),
                ("BREW", "/healthz", "GET, HEAD, OPTIONS"),
            ] {
                let answer = try server.refused(
                    405, "method_not_allowed", method, path, keeping: [])
                #expect(answer["Allow"] == allow, "\(method) \(path)")
            }
        }
    }

    @Test(arguments: Setup.memory)
    func theContractCanBeRevalidated(setup: Setup) throws {
        try withServer(setup) { server throws in
            for path in ["/openapi.yaml", "/openapi.json"] {
                let contract = try server.client.get(path)
                let tag = try #require(contract["ETag"])
                #expect(tag.hasPrefix("\""))
                #expect(contract["Cache-Control"] == "no-cache")
                let again = try server.client.get(path, ["If-None-Match": tag])
                #expect(again.status == 304)
                #expect(again["ETag"] == tag)
                #expect(again.body.isEmpty)
                let other = try server.client.get(path, ["If-None-Match": entityTag(1)])
                #expect(other.status == 200)
            }
        }
    }

    @Test(arguments: Setup.memory)
    func theServerReturnsItsHealthAndItsContract(setup: Setup) throws {
        try withServer(setup) { server throws in
            #expect(try server.client.get("/healthz").json == ["status": "ok"])
            let contract = try server.client.get("/openapi.yaml")
            #expect(contract["Content-Type"] == "application/yaml")
            #expect(contract.text.hasPrefix("openapi: 3.1.0\n"))
            // Not every tool knows merge keys, and some limit the number of aliases.
            #expect(contract.text.firstMatch(of: /\n *\S+: [&*][a-z-]+\n/) == nil)
            let json = try server.client.get("/openapi.json")
            #expect(json["Content-Type"] == "application/json")
            #expect(json.json == (try Contract.embedded.get()).root, "run scripts/openapi-json")
        }
    }
}
