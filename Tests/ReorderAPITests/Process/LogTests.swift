import Foundation
import GRDB
import PostgresStore
import ProcessTesting
import Testing

@testable import SQLiteStore

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
        try server.stop()
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
        #expect(try lines(of: ["--log-level", "error"]).isEmpty)
    }

    /// Also without `--log-requests`.
    @Test func aClientThatSendsTooManyRequestsIsNamedOnce() throws {
        let server = try ServerProcess([
            "--port", "0", "--store", "memory", "--rate-limit", "1/h", "--log-format", "json",
            "--trust-proxy", "127.0.0.1",
        ])
        let client = SocketClient(port: server.port)
        for address in ["192.0.2.1", "192.0.2.2"] {
            let field = ["X-Forwarded-For": address]
            #expect(try client.get("/lists", field).status == 200)
            for _ in 0..<5 { #expect(try client.get("/lists", field).status == 429) }
        }
        let lines = try objects(in: log(of: server)).filter {
            $0["message"] == "a client sends too many requests"
        }
        #expect(lines.map { $0["metadata"]?["client"] } == ["192.0.2.1", "192.0.2.2"])
        #expect(lines.allSatisfy { $0["level"] == "warning" })
        #expect(lines.allSatisfy { $0["metadata"]?["code"] == "rate_limited" })
    }

    /// Stops a server, and returns its log.
    private func log(of server: ServerProcess) throws -> String {
        try server.stop()
        return server.errors
    }

    private func objects(in log: String) throws -> [JSONValue] {
        try log.split(separator: "\n").map { try JSONValue(json: Array($0.utf8)) }
    }

    @Test func aRequestIsLoggedWithItsClientItsTokenAndItsTrace() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl").path
            let made = try ServerProcess.run(
                ["token", "new", "--name", "phone", "--scope", "read", "--file", file])
            let token = made.output.trimmingCharacters(in: .newlines)
            let server = try ServerProcess([
                "--port", "0", "--store", "memory", "--tokens", file, "--log-requests",
                "--log-format", "json", "--trust-proxy", "127.0.0.1",
            ])
            let client = SocketClient(port: server.port)
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            let fields = [
                "Authorization": "Bearer \(token)", "X-Forwarded-For": "192.0.2.7",
                "traceparent": "00-\(trace)-00f067aa0ba902b7-01",
            ]
            #expect(try client.get("/lists", fields).status == 200)
            #expect(try client.get("/lists", ["traceparent": "00-\(trace)-x-01"]).status == 401)
            let lines = try objects(in: log(of: server)).filter { $0["message"] == "answered" }
                .compactMap { $0["metadata"] }
            #expect(lines.count == 2)
            #expect(lines.map { $0["client"] } == ["192.0.2.7", "127.0.0.1"])
            #expect(lines.map { $0["token"] } == ["phone", nil])
            #expect(lines.map { $0["traceId"] } == [.string(trace), nil])
            #expect(lines.map { $0["parentId"] } == ["00f067aa0ba902b7", nil])
            #expect(lines[0]["spanId"]?.string?.count == 16)
        }
    }

    @Test func variablesWithoutEffectAreLogged() throws {
        let server = try ServerProcess(
            ["--port", "0", "--store", "memory", "--log-format", "json"],
            environment: ["REORDERD_CACHE_BITES": "1", "REORDERD_SERVICE_HOST": "10.0.0.1"])
        let warnings = try objects(in: log(of: server)).filter { $0["level"] == "warning" }
        #expect(
            warnings.contains {
                $0["message"]?.string
                    == "these variables are ignored, because they are not options of serve: "
                    + "REORDERD_CACHE_BITES, REORDERD_SERVICE_HOST"
            })
    }

    @Test func theAddressOfAServiceIsNotThePort() throws {
        let end = try ServerProcess.run(
            ["serve", "--print-configuration"],
            environment: ["REORDERD_PORT": "tcp://10.0.0.1:80"])
        #expect(end.exitCode == 0)
        #expect(end.output.contains("REORDERD_PORT=8080\n"))
        let server = try ServerProcess(
            ["--store", "memory", "--port=0"], environment: ["REORDERD_PORT": "tcp://10.0.0.1:80"])
        #expect(try log(of: server).contains("REORDERD_PORT is ignored"))
    }

    @Test func theConfigurationIsPrintedWithoutPasswords() throws {
        let url = "postgres://me:secret@h/d?sslmode=require&password=secret"
        let end = try ServerProcess.run(
            ["serve", "--print-configuration", "--max-streams", "77", "--demo"],
            environment: [
                "REORDERD_STORE": url,
                "REORDERD_CORS_ORIGIN": "https://a.example,https://b.example",
            ])
        #expect(end.exitCode == 0, "\(end.errors)")
        #expect(!end.output.contains("secret"))
        let lines = end.output.split(separator: "\n").map(String.init)
        for line in [
            "REORDERD_STORE=postgres://me@h/d?sslmode=require", "REORDERD_MAX_STREAMS=77",
            "REORDERD_DEMO=true", "REORDERD_NO_AUTH=false", "REORDERD_HOST=127.0.0.1",
            "REORDERD_CORS_ORIGIN=https://a.example,https://b.example",
            "REORDERD_HISTORY=30d,10000",
            "REORDERD_DRAIN_SECONDS=0",
        ] {
            #expect(lines.contains(line), "\(end.output)")
        }
        // The lines are variables that have the same effect.
        let variables = lines.filter { !$0.hasPrefix("REORDERD_STORE=") }.map { line in
            let end = line.firstIndex(of: "=") ?? line.endIndex
            return (String(line[..<end]), String(line[end...].dropFirst()))
        }
        let again = try ServerProcess.run(
            ["serve", "--print-configuration", "--store", url],
            environment: Dictionary(uniqueKeysWithValues: variables))
        #expect(again.output == end.output, "\(again.errors)")
    }

    @Test(arguments: [
        ("postgres://u:sec/ret@h/db", nil), ("postgres://u:sec?ret@h/db", nil),
        ("postgres://u:1/ret@h:1/db", nil), ("postgres://u:sec/ret", nil),
        ("postgres://u:sec@ret@h/db", "postgres://u@h/db"),
        ("postgres://u:sec:ret@h:1,[::1]:2/db", "postgres://u@h:1,[::1]:2/db"),
        ("postgres://u:sec%2Fret@h/db", "postgres://u@h/db"),
        ("postgres://:secret@h/db", "postgres://@h/db"),
        ("postgresql://h/db?user=u&password=secret", "postgresql://h/db?user=u"),
        ("postgres://u@h/db?pass%77ord=secret&sslpassword=secret", "postgres://u@h/db"),
        ("postgres://u@h/db?password=x&secret=y", nil),
        ("postgres://u@h/db?password=x&secret", nil),
        ("postgres://u@h/db?password=se@cret", nil),
        ("postgres:///db?host=/run/postgresql", "postgres:///db?host=/run/postgresql"),
        ("postgres://", "postgres://"), ("file:a@b:c", "file:a@b:c"), ("memory", "memory"),
    ])
    func aPasswordIsNeverPrinted(url: String, shown: String?) throws {
        let end = try ServerProcess.run(["serve", "--print-configuration", "--store", url])
        #expect(end.exitCode == 0, "\(end.errors)")
        let line = end.output.split(separator: "\n").first { $0.hasPrefix("REORDERD_STORE=") }
        #expect(line.map(String.init) == "REORDERD_STORE=\(shown ?? "(not shown)")")
    }

    /// Values that are not valid are not in the error either.
    @Test(arguments: [
        "host=h password=secret", "password='secret'", "postgre://u:secret@h/db",
        "postgres://u:secret%zz@h/db", "postgres://u:secret/x@h/db",
    ])
    func aPasswordIsNotInAnErrorMessage(url: String) throws {
        for (arguments, environment) in [
            (["serve", "--port", "0", "--store", url], [:]),
            (["migrate", "--store=\(url)"], [:]),
            (["serve", "--port", "0"], ["REORDERD_STORE": url]),
        ] {
            let end = try ServerProcess.run(arguments, environment: environment)
            #expect([64, 73].contains(end.exitCode))
            #expect(!end.errors.isEmpty && !end.errors.contains("secret"), "\(end.errors)")
        }
    }

    /// libpq accepts a "?" in a password, so a server would wait for this database.
    @Test func aPasswordIsNotInTheReasonForAnUnreachableDatabase() throws {
        let end = try ServerProcess.run(["migrate", "--store=postgres://u:a?secret@h.invalid/db"])
        #expect(end.exitCode == 73)
        #expect(!end.errors.isEmpty && !end.errors.contains("secret"), "\(end.errors)")
    }

    @Test func theStartIsLoggedWithTheAccessAndTheRates() throws {
        let server = try ServerProcess([
            "--port", "0", "--store", "memory", "--log-format", "json", "--no-auth", "--rate-limit",
            "600/m", "--trust-proxy", "10.0.0.0/8", "--drain-seconds", "0",
        ])
        let started = try #require(
            try objects(in: log(of: server)).first { $0["message"] == "started" }?["metadata"])
        #expect(started["access"] == "everyone")
        #expect(started["rateLimit"] == "600/m")
        #expect(started["trustProxy"]?.array == ["10.0.0.0/8"])
        #expect(started["drainSeconds"]?.int == 0)
    }

    @Test func theStartIsLoggedWithTheVersionTheStoreAndTheLimits() throws {
        let lines = try lines(of: ["--log-format", "json", "--max-streams", "77"])
        let objects = try lines.map { try JSONValue(json: Array($0.utf8)) }
        let started = try #require(objects.first { $0["message"] == "started" })
        #expect(started["level"] == "notice")
        let metadata = try #require(started["metadata"])
        let version = try ServerProcess.run(["version"]).output.dropLast().dropFirst(9)
        #expect(metadata["version"]?.string == String(version))
        #expect(metadata["store"] == "memory")
        #expect(metadata["maxStreams"]?.int == 77)
        #expect(metadata["history"] == "30d,10000")
        for limit in ["maxBodyBytes", "maxConnections", "maxTasksPerList", "cacheBytes"] {
            #expect(metadata[limit] != nil, "\(limit)")
        }
    }

    @Test func theConversionOfAFileIsLogged() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "lists.db").path
            let database = try DatabaseQueue(path: file)
            try database.write { database in
                try database.execute(sql: SQLiteSchema.migrations[0])
                try database.execute(sql: "PRAGMA application_id = \(SQLiteSchema.applicationID)")
                try database.execute(sql: "PRAGMA user_version = 1")
            }
            try database.close()
            for isConverted in [true, false] {
                let server = try ServerProcess(["--port", "0", "--store", "file:\(file)"])
                let text = "was converted from version 1 of the file format to version"
                #expect(try log(of: server).contains(text) == isConverted)
            }
        }
    }

    @Test func theVersionHasTheFormatsOfStores() throws {
        let formats =
            "(file format \(SQLiteListStore.format), PostgreSQL tables "
            + "\(PostgresListStore.schemaVersion))"
        #expect(try ServerProcess.run(["version"]).output.hasSuffix("\(formats)\n"))
        #expect(try ServerProcess.run(["--version"]).output.hasSuffix("\(formats)\n"))
    }

    private func zip3<A, B, C>(_ a: [A], _ b: [B], _ c: [C]) -> [(A, B, C)] {
        zip(a, zip(b, c)).map { ($0, $1.0, $1.1) }
    }
}
