import MicroHTTP
import Testing

@Suite struct CrossOriginTests {
    private static let page = ["Origin": "https://app.example"]
    private static let exposed =
        "Allow, Content-Disposition, ETag, Idempotent-Replay, Link, Location, Preference-Applied, RateLimit, "
        + "RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id"

    @Test(arguments: Setup.memory)
    func withoutAllowedOriginsNoResponseHasCORSFields(setup: Setup) throws {
        try withServer(setup) { server throws in
            for answer in [
                try server.client.get("/lists", Self.page),
                try server.client.send("OPTIONS", "/lists", nil, asking("POST")),
            ] {
                #expect(answer["Access-Control-Allow-Origin"] == nil)
                #expect(answer["Vary"] == nil)
            }
            let options = try server.client.send("OPTIONS", "/lists", nil, asking("POST"))
            #expect(options.status == 204)
            #expect(options["Allow"] == "GET, HEAD, OPTIONS, POST")
        }
    }

    @Test(arguments: Setup.memory)
    func aPreflightReturnsTheAllowedRequests(setup: Setup) throws {
        try withServer(setup, origins: .only(["https://app.example"])) { server throws in
            let answer = try server.client.send("OPTIONS", "/lists/l", nil, asking("PUT"))
            #expect(answer.status == 204)
            #expect(answer["Access-Control-Allow-Origin"] == "https://app.example")
            #expect(
                answer["Access-Control-Allow-Methods"] == "DELETE, GET, HEAD, OPTIONS, PATCH, PUT")
            #expect(
                answer["Access-Control-Allow-Headers"]
                    == "Authorization, Client-Id, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, traceparent, tracestate, X-Request-Id"
            )
            #expect(answer["Access-Control-Max-Age"] == "7200")
            #expect(answer["Vary"] == "Origin")
            // The response to the preflight lets the page read the 404.
            let nowhere = try server.client.send("OPTIONS", "/nowhere", nil, asking("PUT"))
            #expect(nowhere.status == 204)
            #expect(
                nowhere["Access-Control-Allow-Methods"]
                    == "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT")

            let plain = try server.client.send("OPTIONS", "/lists/l", nil, Self.page)
            #expect(plain["Allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, PUT")
            #expect(plain["Access-Control-Allow-Methods"] == nil)
            #expect(try server.client.send("OPTIONS", "/nowhere", nil, Self.page).status == 404)
        }
    }

    @Test(arguments: Setup.memory)
    func everyResponseIsReadableByAnAllowedOrigin(setup: Setup) throws {
        let origins = CrossOrigin.Origins.only(["https://app.example", "http://localhost:3000"])
        try withServer(setup, maximumBodyBytes: 100, origins: origins) { server throws in
            let client = server.client
            let long = String(repeating: "x", count: 101)
            let answers = [
                try client.put("/lists/l", #"{"title":"L"}"#, Self.page),
                try client.get("/lists/l", Self.page),
                try client.get("/lists/l", Self.page.merging(["If-None-Match": "*"]) { $1 }),
                try client.send("HEAD", "/lists/l", nil, Self.page),
                try client.get("/lists/none", Self.page), try client.get("/nowhere", Self.page),
                try client.get("/lists/%00", Self.page),
                try client.delete("/healthz", Self.page), try client.post("/lists", "{", Self.page),
                try client.put("/lists/l", #"{"title":"L"}"#, Self.page),
                try client.delete("/lists/l", Self.page),
            ]
            let statuses = [201, 200, 304, 200, 404, 404, 400, 405, 400, 428, 204]
            #expect(answers.map(\.status) == statuses)
            for answer in answers {
                #expect(answer["Access-Control-Allow-Origin"] == "https://app.example")
                #expect(answer["Access-Control-Expose-Headers"] == Self.exposed)
                #expect(answer["Vary"] == "Origin")
            }
            if setup.transport == .socket {
                let tooLarge = try client.post("/lists", long, Self.page)
                #expect(tooLarge.status == 413)
                #expect(tooLarge["Access-Control-Allow-Origin"] == "https://app.example")
                let wrong = try client.get(
                    "/lists", ["Host": "a gap", "Origin": "https://app.example"])
                #expect(wrong.status == 400)
                #expect(wrong["Access-Control-Allow-Origin"] == "https://app.example")
            }
            let other = try client.get("/healthz", ["Origin": "http://localhost:3000"])
            #expect(other["Access-Control-Allow-Origin"] == "http://localhost:3000")
        }
    }

    @Test(arguments: Setup.memory)
    func otherOriginsGetNoPermission(setup: Setup) throws {
        try withServer(setup, origins: .only(["https://app.example"])) { server throws in
            for origin in [
                "https://evil.example", "http://app.example", "https://app.example:8443",
                "https://app.example.evil.example", "null", "",
            ] {
                let answer = try server.client.get("/healthz", ["Origin": origin])
                #expect(answer.status == 200)
                #expect(answer["Access-Control-Allow-Origin"] == nil, "\(origin)")
                #expect(answer["Access-Control-Expose-Headers"] == nil)
                // Caches must not use this response for a page of an allowed origin.
                #expect(answer["Vary"] == "Origin")
                let asked = try server.client.send(
                    "OPTIONS", "/lists", nil,
                    ["Origin": origin, "Access-Control-Request-Method": "POST"])
                #expect(asked["Access-Control-Allow-Methods"] == nil)
            }
            #expect(try server.client.get("/healthz")["Vary"] == "Origin")
        }
    }

    @Test(arguments: Setup.memory)
    func withAllOriginsEachResponseIsTheSame(setup: Setup) throws {
        try withServer(setup, origins: .any) { server throws in
            for fields in [[:], Self.page, ["Origin": "null"]] {
                let answer = try server.client.get("/lists/none", fields)
                #expect(answer["Access-Control-Allow-Origin"] == "*")
                #expect(answer["Access-Control-Expose-Headers"] == Self.exposed)
                #expect(answer["Vary"] == nil)
            }
            let asked = try server.client.send("OPTIONS", "/lists", nil, asking("POST"))
            #expect(asked["Access-Control-Allow-Origin"] == "*")
            #expect(asked["Vary"] == nil)
        }
    }

    private func asking(_ method: String) -> [String: String] {
        Self.page.merging([
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "content-type,if-match",
        ]) { $1 }
    }
}
