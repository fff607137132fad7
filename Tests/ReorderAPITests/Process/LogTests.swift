import Foundation
import ProcessTesting
import Testing

/// The log of `reorderd serve`, on standard error.
@Suite struct LogTests {
    /// The lines of a server's log after some requests.
    private func lines(of arguments: [String]) throws -> [String] {
        let server = try ServerProcess(["--port", "0", "--store", "memory"] + arguments)
        let client = SocketClient(port: server.port)
        let secrets = ["Authorization": "Bearer hunter2", "X-Request-Id": "r-1"]
        #expect(try client.get("/lists/none?token=hunter2", secrets).status == 422)
        #expect(try client.put("/lists/l", #"{"title":"hunter2"}"#, secrets).status == 201)
        #expect(try client.get("/lists/l", secrets)["X-Request-Id"] == "r-1")
        server.send(signal: SIGTERM)
        #expect(try server.wait().exitCode == 0)
        return server.errors.split(separator: "\n").map(String.init)
    }

    @Test func jsonLogLinesAreObjects() throws {
        let lines = try lines(of: ["--log-format", "json", "--log-requests"])
        let objects = try lines.map { try JSONValue(json: Array($0.utf8)) }
        let answered = objects.filter { $0["message"] == "answered" }
        #expect(answered.count == 3)
        for (line, path, status) in zip3(
            answered, ["/lists/none", "/lists/l", "/lists/l"], [422, 201, 200])
        {
            #expect(line["level"] == "info")
            #expect(line["logger"] == "reorderd")
            #expect(line["requestId"] == "r-1")
            #expect(line["metadata"]?["path"] == .string(path))
            #expect(line["metadata"]?["route"] == "/lists/:id")
            #expect(line["metadata"]?["status"]?.int == status)
            #expect(line["time"]?.string?.count == 24)
        }
        #expect(!lines.joined().contains("hunter2"))
    }

    @Test func plainLogLinesHaveTheSameContent() throws {
        let lines = try lines(of: ["--log-requests"]).filter { $0.contains(": answered ") }
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.contains(" info reorderd: answered ") })
        #expect(lines[0].contains(" path=/lists/none ") && lines[0].contains(" status=422"))
        #expect(lines.allSatisfy { $0.contains(" requestId=r-1 ") })
        #expect(!lines.joined().contains("hunter2"))
    }

    @Test func requestsAreLoggedOnlyIfEnabled() throws {
        #expect(try lines(of: []).allSatisfy { !$0.contains("/lists/") })
        #expect(
            try lines(of: ["--slow-request-ms", "60000"]).allSatisfy { !$0.contains("/lists/") })
        #expect(try lines(of: ["--log-requests", "--log-level", "error"]).isEmpty)
    }

    @Test func theStartIsLoggedWithTheVersionTheStoreAndTheLimits() throws {
        let lines = try lines(of: ["--log-format", "json", "--max-streams", "77"])
        let objects = try lines.map { try JSONValue(json: Array($0.utf8)) }
        let started = try #require(objects.first { $0["message"] == "started" })
        #expect(started["level"] == "notice")
        let metadata = try #require(started["metadata"])
        let version = try ServerProcess.run(["version"]).output.split(separator: " ").last
        #expect(metadata["version"]?.string == version?.trimmingCharacters(in: .newlines))
        #expect(metadata["store"] == "memory")
        #expect(metadata["maxStreams"]?.int == 77)
        #expect(metadata["history"] == "30d,10000")
        for limit in ["maxBodyBytes", "maxConnections", "maxTasksPerList", "cacheBytes"] {
            #expect(metadata[limit] != nil, "\(limit)")
        }
    }

    private func zip3<A, B, C>(_ a: [A], _ b: [B], _ c: [C]) -> [(A, B, C)] {
        zip(a, zip(b, c)).map { ($0, $1.0, $1.1) }
    }
}
