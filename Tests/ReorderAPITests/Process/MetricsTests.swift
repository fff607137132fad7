import Foundation
import PostgresTesting
import ProcessTesting
import Testing
import Waiting

/// `GET /metrics` of a server with a file store.
@Suite struct MetricsTests {
    private func metrics(_ client: SocketClient) throws -> [String: Double] {
        let answer = try client.get("/metrics")
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        var samples: [String: Double] = [:]
        for line in answer.text.split(separator: "\n") where !line.hasPrefix("#") {
            let end = try #require(line.lastIndex(of: " "))
            let name = String(line[..<end])
            #expect(samples[name] == nil, "\(name) comes twice")
            samples[name] = Double(String(line[line.index(after: end)...])) ?? .nan
        }
        return samples
    }

    @Test func requestsAreCounted() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "lists.db")
            let server = try ServerProcess(["--port", "0", "--store", "file:\(file.path)"])
            let client = SocketClient(port: server.port)
            #expect(
                try client.put("/lists/l", #"{"title":"","tasks":[{"id":"a","title":""}]}"#)
                    .status == 201)
            for _ in 0..<3 { #expect(try client.get("/lists/l").status == 200) }
            let cycle = try client.post("/lists/l/move", #"{"task":"a","parent":"a"}"#)
            #expect(cycle.status == 409)
            #expect(try client.get("/lists/\(UUID())").status == 404)
            #expect(try client.get("/none").status == 404)
            let stream = try client.watch("l")
            _ = try stream.next()

            var samples: [String: Double] = [:]
            // The event loop updates the gauges at the end of its iteration.
            try waitUntil {
                samples = try metrics(client)
                return samples["reorderd_streams"] == 1
            }
            func expect(_ name: String, _ value: Double) {
                #expect(samples[name] == value, "\(name) is \(samples[name] ?? -1)")
            }
            let list = #"route="/lists/:id",method="GET""#
            expect(#"reorderd_requests_total{\#(list),status="200"}"#, 3)
            expect(#"reorderd_requests_total{\#(list),status="404"}"#, 1)
            expect(#"reorderd_requests_total{route="/lists/:id",method="PUT",status="201"}"#, 1)
            expect(#"reorderd_requests_total{route="(none)",method="GET",status="404"}"#, 1)
            expect(#"reorderd_request_duration_seconds_count{\#(list)}"#, 4)
            expect(#"reorderd_request_duration_seconds_bucket{\#(list),le="+Inf"}"#, 4)
            expect(#"reorderd_refusals_total{code="cycle"}"#, 1)
            let version = try ServerProcess.run(["version"]).output.split(separator: " ")[1]
            expect(#"reorderd_build_info{version="\#(version)",store="file"}"#, 1)
            expect(#"reorderd_refusals_total{code="list_not_found"}"#, 1)
            expect(#"reorderd_refusals_total{code="not_found"}"#, 1)
            // The first read renders the response that the others use.
            expect("reorderd_ready_answers_total", 2)
            // The server starts with a commit without changes. The first change can share it.
            let commits = samples["reorderd_commit_changes_count"] ?? 0
            #expect(1...2 ~= commits)
            expect("reorderd_commit_changes_sum", 1)
            expect("reorderd_commit_duration_seconds_count", commits)
            expect("reorderd_journal_changes_total", 1)
            expect("reorderd_commits_failed_total", 0)
            expect("reorderd_cache_lists", 1)
            #expect((samples["reorderd_cache_bytes"] ?? 0) > 100)
            #expect((samples["reorderd_cache_hits_total"] ?? 0) >= 2)
            // One for the list, and one for a list that does not exist.
            expect("reorderd_cache_misses_total", 2)
            let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
            #expect((samples["reorderd_journal_bytes"] ?? 0) >= Double(size ?? .max))
            expect("reorderd_ready", 1)
            #expect((samples["reorderd_disk_free_bytes"] ?? 0) > 0)
            #expect((samples["process_resident_memory_bytes"] ?? 0) > 1_048_576)
            #expect((samples["process_open_fds"] ?? 0) > 5)
            // A request that creates a list waits for one list to be looked up, also if the server
            // makes its id.
            for misses in 3...5 {
                #expect(try client.post("/lists", #"{"title":"new"}"#).status == 201)
                samples = try metrics(client)
                expect("reorderd_cache_misses_total", Double(misses))
            }
            withExtendedLifetime(stream) {}
            try server.stop()
        }
    }

    /// Prometheus needs a token that can read metrics, and nothing else. Its requests are not limited.
    @Test func aTokenForMetricsReadsMetricsOnlyAndWithoutALimit() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl").path
            let made = try ServerProcess.run(
                ["token", "new", "--name", "prometheus", "--scope", "metrics", "--file", file])
            let token = made.output.trimmingCharacters(in: .newlines)
            let server = try ServerProcess([
                "--port", "0", "--store", "memory", "--tokens", file, "--rate-limit", "1/h",
            ])
            let client = SocketClient(port: server.port)
            let fields = ["Authorization": "Bearer \(token)"]
            for _ in 0..<3 {
                let metrics = try client.get("/metrics", fields)
                #expect(metrics.status == 200)
                #expect(metrics["RateLimit"] == nil)
            }
            #expect(try client.get("/lists", fields).status == 403)
            #expect(try client.get("/lists", fields).status == 429)
            #expect(try client.get("/metrics").status == 401)
            try server.stop()
        }
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func readinessAndConnectionsToPostgreSQLAreGauges() throws {
        let cluster = try PostgresCluster.shared()
        let name = "gauges-\(UUID().uuidString)"
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        let server = try ServerProcess(["--port", "0", "--store", url, "--migrate"])
        let client = SocketClient(port: server.port)
        #expect(try client.put("/lists/l", #"{"title":""}"#).status == 201)
        var samples: [String: Double] = [:]
        func wait(_ condition: ([String: Double]) -> Bool) throws {
            try waitUntil {
                samples = try metrics(client)
                return condition(samples)
            }
        }
        try wait { $0["reorderd_ready"] == 1 }
        #expect(samples["reorderd_postgres_connections_limit"] == 8)
        #expect(1...8 ~= samples["reorderd_postgres_connections"] ?? 0)
        try cluster.setConnectable(false, database: name)
        try wait { $0["reorderd_ready"] == 0 }
        try cluster.setConnectable(true, database: name)
        try wait { $0["reorderd_ready"] == 1 && ($0["reorderd_postgres_connections"] ?? 0) > 0 }
        try server.stop()
    }

    /// The response of a request with a key is stored, and sent from its stored form.
    @Test func aRefusalIsCountedOnceWithAKeyToo() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        let client = SocketClient(port: server.port)
        _ = try client.put("/lists/l", #"{"title":"","tasks":[{"id":"a","title":""}]}"#)
        for _ in 0..<3 {
            let cycle = try client.post(
                "/lists/l/move", #"{"task":"a","parent":"a"}"#, ["Idempotency-Key": "k"])
            #expect(cycle.status == 409)
        }
        #expect(try metrics(client)[#"reorderd_refusals_total{code="cycle"}"#] == 1)
        try server.stop()
    }

    @Test func labelsDontDependOnPaths() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        let client = SocketClient(port: server.port)
        _ = try metrics(client)
        func ask(_ round: Int) throws {
            for method in ["GET", "BREW\(round)"] {
                for path in ["/lists/x\(round)", "/x\(round)", "/tasks/x\(round)"] {
                    _ = try client.send(method, path, nil, ["X-Request-Id": "x\(round)"])
                }
            }
        }
        try ask(0)
        let before = try metrics(client)
        for round in 1..<20 { try ask(round) }
        let after = try metrics(client)
        #expect(Set(after.keys) == Set(before.keys))
        try server.stop()
    }
}
