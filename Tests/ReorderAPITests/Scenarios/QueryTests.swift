import MicroHTTP
import Testing

@testable import ReorderAPI

@Suite struct QueryTests {
    /// If a misspelt parameter were ignored, the request would be a move rather than its dry run.
    @Test(arguments: Setup.memory)
    func anUnknownOrRepeatedParameterIsRefusedAndChangesNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b@s"])])
            let move = #"{"task":"a","position":9,"section":"s"}"#
            for (query, named) in [
                ("dryrun=true", "dryrun"), ("DRYRUN=true", "DRYRUN"), ("dry-run", "dry-run"),
                ("dryRun=true&x=1", "x"), ("dryRun=true&dryRun=true", "dryRun"),
                ("dryRun=true&dry%52un=false", "dryRun"), ("=true", ""), ("&&x", "x"),
                (String(repeating: "x", count: 5_000), String(repeating: "x", count: 64)),
            ] {
                let refusal = try server.refused(
                    422, "invalid_query", "POST", "/lists/l/move?\(query)", move)
                let detail = refusal.json["detail"]?.string ?? ""
                #expect(detail.contains("\"\(named)\""), "\(detail)")
                #expect(detail.utf8.count < 200)
            }
            for (method, target) in [
                ("DELETE", "/lists/l/sections/s?task=delete"), ("DELETE", "/tasks/a?dryRun=true"),
                ("DELETE", "/lists/l?force=true"), ("GET", "/lists/l?visble=true"),
                ("GET", "/lists/l?limit=1&limit=2"), ("GET", "/lists/l/changes?from=1"),
                ("GET", "/lists/l/events?version=1"), ("HEAD", "/lists?page=2"),
            ] {
                // This also applies when the list's document is in the response cache.
                let answer = try server.client.send(method, target)
                #expect(answer.status == 422, "\(method) \(target)")
                #expect(method == "HEAD" || answer.code == "invalid_query")
            }
            #expect(try server.client.get("/lists/l").json["version"] == 1)
        }
    }

    /// If they were read as other characters, the request would find nothing, or something else.
    @Test(arguments: Setup.memory)
    func aQueryThatIsNotPercentEncodedUTF8IsRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for query in [
                "q=%zz", "q=%ff", "q=100%", "q=a%C3", "filter=data.x=%zz", "%zz", "%ff=1",
                "fields=%", "cursor=%zz", "section=%ff",
            ] {
                let answer = try server.refused(
                    422, "invalid_query", "GET", "/lists/l/tasks?\(query)")
                let detail = answer.json["detail"]?.string ?? ""
                #expect(
                    detail.contains("is not percent-encoded UTF-8. Write % as %25"), "\(detail)")
            }
            for target in [
                "/lists?ids=%zz", "/lists/l?limit=%zz", "/lists/l/changes?since=%ff",
                "/lists/l/events?ticket=%zz", "/changes?prefix=%ff", "/events?lists=%zz",
                "/tasks?q=%zz", "/tasks/a?%zz",
            ] {
                try server.refused(422, "invalid_query", "GET", target)
            }
            try server.refused(422, "invalid_query", "DELETE", "/lists/l?permanent=%zz")
            try server.refused(400, "bad_request", "GET", "/lists/%zz")
            try server.refused(400, "bad_request", "GET", "/lists/%ff")
            #expect(try server.client.get("/lists/l/tasks?q=%61").taskIDs == ["a"])
        }
    }

    @Test(arguments: Setup.memory)
    func anEmptyQueryIsAccepted(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for target in ["/lists/l?", "/lists/l?&", "/tasks/a?", "/lists?&&"] {
                #expect(try server.client.get(target).status == 200, "\(target)")
            }
        }
    }

    /// People share links to the page, and programs add parameters to them. Caches and monitors add
    /// parameters, too.
    @Test func filesAndTheServersStateIgnoreTheirQuery() throws {
        try withServer(.inProcess) { server throws in
            for path in [
                "/", "/client/1.js", "/client/1/reorderd.js", "/healthz", "/readyz", "/metrics",
                "/openapi.yaml", "/openapi.json",
            ] {
                let answer = try server.client.get("\(path)?utm_source=mail&x&x&%zz")
                #expect(answer.status == 200, "\(path)")
            }
            let ignoring = ReorderAPI.endpoints.filter { $0.query == nil }
            #expect(ignoring.allSatisfy { [.nothing, .metrics].contains($0.access) })
        }
    }

    @Test func eachRouteTakesTheParametersOfTheContract() throws {
        let contract = try Contract.embedded.get()
        try withServer(.inProcess) { server throws in
            let calls = RouteCalls(
                list: "l", task: "a", other: "b", section: "s", drag: "d", webhook: "w")
            let ignoring = Set(ReorderAPI.endpoints.filter { $0.query == nil }.map(\.pattern))
            for route in server.routes where !ignoring.contains(route.pattern) {
                let call = calls.call(route)
                let answer = try server.client.send(
                    call.method, "\(call.target)?zz=1", String(decoding: call.body, as: UTF8.self))
                #expect(answer.code == "invalid_query", "\(route)")
                let detail = answer.json["detail"]?.string ?? ""
                let taken = detail.firstRange(of: "This request accepts: ").map {
                    detail[$0.upperBound...].dropLast().split(separator: ", ").map(String.init)
                }
                let operation = try #require(contract.operation(call.method, call.target))
                let declared = (operation.object["parameters"]?.array ?? [])
                    .map { contract.resolved($0) }.filter { $0["in"] == "query" }
                    .compactMap { $0["name"]?.string }
                #expect(Set(taken ?? []) == Set(declared), "\(route)")
            }
        }
    }
}
