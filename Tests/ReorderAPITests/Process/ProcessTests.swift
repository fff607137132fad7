import Foundation
import PostgresStore
import PostgresTesting
import ProcessTesting
import ReorderEngine
import ReorderService
import Testing
import Waiting

/// `reorderd` as people, scripts and containers start it.
@Suite(.serialized) struct ProcessTests {
    @Test func itPrintsOneLineAndEndsWithZeroOnSIGTERMAndSIGINT() throws {
        for signal in [SIGTERM, SIGINT] {
            let server = try ServerProcess(["--port", "0", "--store", "memory"])
            #expect(server.line == "reorderd listening on http://127.0.0.1:\(server.port)\n")
            let client = CheckedClient(SocketClient(port: server.port))
            #expect(try client.get("/healthz").status == 200)
            #expect(try client.get("/lists/demo").status == 404)
            server.send(signal: signal)
            let end = try server.wait()
            #expect(end.exitCode == 0)
            #expect(end.output.isEmpty)
        }
    }

    @Test func everyOptionHasAnEnvironmentVariable() throws {
        let help = try ServerProcess.run(["serve", "--help"]).output
        let names = help.matches(of: /\-\-([a-z\-]+)/).map { String($0.1) }
        let options = Set(names).subtracting(["help", "version"])
        #expect(options.count > 30)
        for option in options {
            let name = "REORDERD_" + option.uppercased().replacing("-", with: "_")
            // An option refuses the first value, a flag the second. Without the variable, the error
            // would be about `--unknown`.
            let errors = try ["", "maybe"].map { value in
                try ServerProcess.run(["serve", "--unknown"], environment: [name: value])
                    .errors
            }
            #expect(errors.contains { $0.contains("\(name) ") }, "\(errors)")
        }
    }

    @Test func environmentVariablesAreOptionsAndTheCommandLineWins() throws {
        let environment = [
            "REORDERD_PORT": "0", "REORDERD_STORE": "file:/nowhere/at/all/lists.db",
            "REORDERD_DEMO": "true", "REORDERD_MAX_BODY_BYTES": "100",
            "REORDERD_MAX_TASKS_PER_LIST": "14",
        ]
        let server = try ServerProcess(
            ["--store", "memory", "--host", "localhost"], environment: environment)
        #expect(server.line == "reorderd listening on http://localhost:\(server.port)\n")
        let client = CheckedClient(SocketClient(port: server.port))
        #expect(try client.get("/lists/demo").json["count"] == 14)
        #expect(try client.post("/lists/demo/tasks", #"{"title":"x"}"#).code == "list_full")
        let long = String(repeating: " ", count: 101)
        #expect(try client.post("/lists", long).code == "body_too_large")
        try server.stop()
    }

    @Test func originsAreAllowedByOptionOrVariable() throws {
        let variable = ["REORDERD_CORS_ORIGIN": "https://a.example, http://b.example:3000"]
        for (arguments, environment, allowed) in [
            ([], variable, ["https://a.example", "http://b.example:3000"]),
            (["--cors-origin", "https://C.example"], variable, ["https://c.example"]),
            (["--cors-origin", "https://c.example:443/"], [:], ["https://c.example"]),
            (["--cors-origin", "http://b.example:03000"], [:], ["http://b.example:3000"]),
            (
                ["--cors-origin=https://c.example", "--cors-origin", "https://d.example"], [:],
                ["https://c.example", "https://d.example"]
            ),
            ([], [:], []),
        ] {
            let server = try ServerProcess(
                ["--port", "0", "--store", "memory"] + arguments, environment: environment)
            let client = CheckedClient(SocketClient(port: server.port))
            let origins = [
                "https://a.example", "http://b.example:3000", "https://c.example",
                "https://d.example",
            ]
            let accepted = try origins.filter {
                try client.get("/healthz", ["Origin": $0])["Access-Control-Allow-Origin"] == $0
            }
            #expect(accepted == allowed)
            try server.stop()
        }
    }

    /// A response that is the same for all codings varies with none.
    @Test func withoutCompressionNoResponseIsCompressedOrVaries() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory", "--no-compression"])
        let client = SocketClient(port: server.port)
        let gzip = ["Accept-Encoding": "gzip"]
        #expect(try client.put("/lists/l", draft((0..<100).map { "t\($0)" }), gzip).status == 201)
        for path in [
            "/lists/l", "/lists/l/tasks", "/lists/l/changes?since=0", "/openapi.yaml", "/",
        ] {
            let answer = try client.get(path, gzip)
            #expect(answer.status == 200 && answer["Content-Encoding"] == nil, "\(path)")
            #expect(answer["Vary"] == nil, "\(path)")
        }
        try server.stop()
    }

    /// Task ids are unique over all lists. The sample list must not use the ids of the README's
    /// examples.
    @Test func theSampleListLeavesPlainIdsToOthers() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory", "--demo"])
        let client = CheckedClient(SocketClient(port: server.port))
        let tasks = try client.get("/lists/demo").json["tasks"]?.array ?? []
        #expect(!tasks.isEmpty)
        #expect(tasks.allSatisfy { $0["id"]?.string?.hasPrefix("demo-") == true })
        try server.stop()
    }

    @Test func aRequestInProgressIsCompletedDuringTheStop() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        let body = Array(#"{"title":"last"}"#.utf8)
        let connection = try SocketClient.Connection(port: server.port)
        connection.write(
            Array(
                """
                PUT /lists/last HTTP/1.1\r
                Host: localhost\r
                Expect: 100-continue\r
                Content-Length: \(body.count)\r
                \r\n
                """.utf8))
        // The request has begun when the server asks for the body.
        #expect(try connection.readHead().status == 100)
        server.send(signal: SIGTERM)
        // The server is stopping when it accepts no more connections.
        try waitUntil { (try? SocketClient.Connection(port: server.port)) == nil }
        connection.write(body)
        let answer = try connection.readAnswer()
        #expect(answer.status == 201)
        #expect(try server.wait().exitCode == 0)
    }

    @Test func aServerThatDrainsIsNotReadyAndServesEverythingElse() throws {
        let server = try ServerProcess(
            ["--port", "0", "--store", "memory", "--drain-seconds", "3600"])
        let client = CheckedClient(SocketClient(port: server.port))
        #expect(try client.get("/readyz").status == 200)
        server.send(signal: SIGTERM)
        try waitUntil { try client.get("/readyz").status == 503 }
        #expect(try client.get("/readyz").json["detail"] == "The server is about to stop.")
        #expect(try client.get("/healthz").status == 200)
        let written = try client.put("/lists/last", #"{"title":"last"}"#)
        #expect(written.status == 201)
        #expect(written["Connection"] == "close")
        // A second signal ends the time.
        try server.stop()
    }

    @Test func aServerStopsAfterItsDrainSeconds() throws {
        let server = try ServerProcess(
            ["--port", "0", "--store", "memory", "--drain-seconds", "1"])
        try server.stop()
        #expect(server.errors.contains("draining"))
    }

    @Test(arguments: [
        ("PORT", "x", "REORDERD_PORT"),
        ("PORT", "70000", "REORDERD_PORT must be from 0 to 65535"),
        ("STORE", "", "REORDERD_STORE is empty"),
        ("STORE", "x.db", "REORDERD_STORE"),
        ("DEMO", "maybe", "REORDERD_DEMO must be true or false, not \"maybe\""),
        (
            "MAX_CONNECTIONS_PER_CLIENT", "-1",
            "REORDERD_MAX_CONNECTIONS_PER_CLIENT must be from 0 to"
        ),
        ("CORS_ORIGIN", "https://a.example/x", "REORDERD_CORS_ORIGIN"),
        ("JWT_ISSUER", "", "REORDERD_JWT_ISSUER has an empty value"),
        ("CORS_ORIGIN", "https://a.example,,", "REORDERD_CORS_ORIGIN has an empty value"),
        ("TLS_CERT", "/a.pem", "REORDERD_TLS_CERT and --tls-key must be given together"),
    ])
    func aWrongVariableIsNamedWithExitCode64(
        variable: String, value: String, message: String
    ) throws {
        let end = try ServerProcess.run(["serve"], environment: ["REORDERD_\(variable)": value])
        #expect(end.exitCode == 64)
        let text = end.errors.components(separatedBy: "Usage:")[0]
            .components(separatedBy: "\nHelp:")[0]
        #expect(text.contains(message), "\(end.errors)")
        let option = "--\(variable.lowercased().replacing("_", with: "-"))"
        #expect(!text.contains(option), "\(end.errors)")
    }

    @Test func aVariableThatTheCommandLineOverridesIsNotRead() throws {
        let server = try ServerProcess(
            ["--port", "0", "--store=memory"],
            environment: ["REORDERD_PORT": "x", "REORDERD_STORE": ""])
        try server.stop()
    }

    @Test func optionsAtTheirLimitsAreAccepted() throws {
        for arguments in [
            ["--cache-bytes", "0"], ["--cache-bytes", "1048576", "--max-bodies-bytes", "8388608"],
        ] {
            let server = try ServerProcess(["--port", "0", "--store", "memory"] + arguments)
            try server.stop()
        }
    }

    @Test func theHelpNamesEachLevelOfTheLog() throws {
        let help = try ServerProcess.run(["serve", "--help"]).output
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let levels = "trace, debug, info, notice, warning, error or critical"
        let values = levels.replacing(" or", with: ",")
        let text = help.components(separatedBy: "--log-level <log-level> ").last?
            .components(separatedBy: " --log-format").first
        #expect(
            text == "The lowest level to log: \(levels). (values: \(values); default: info)")
        let refusal = try ServerProcess.run(["serve", "--log-level", "loud"]).errors
        let named = refusal.split(separator: "\n").filter { $0.hasPrefix("  - ") }
        #expect(named.map { $0.dropFirst(4) }.joined(separator: ", ") == values)
        for level in values.split(separator: ", ") {
            let server = try ServerProcess(
                ["--port", "0", "--store", "memory", "--log-level", String(level)])
            try server.stop()
        }
    }

    /// Another service, which has a longer time limit, has inserted the list and waits for a lock. The
    /// server, which sees an empty store, waits for the service.
    @Test(.enabled(if: PostgresCluster.isTested))
    func aServerStartsAlthoughAnotherCreatesTheSampleListMeanwhile() throws {
        let cluster = try PostgresCluster.shared()
        let name = "demo-\(UUID().uuidString)"
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        #expect(try ServerProcess.run(["migrate", "--store", url]).exitCode == 0)
        let other = ListService.quiet(try PostgresListStore(url: url, options: .patient))
        let list = ReorderableList(settings: ListSettings(title: "Of another server"))
        let lock = try cluster.hold("LOCK TABLE reorderd.snapshot IN SHARE MODE", in: name)
        let created = Pending {
            try other.write(WriteRequest(list: "demo", action: .create(list)))
        }
        try waitUntil { try cluster.waitingForLocks(in: name) == 1 }
        let served = Pending {
            let server = try ServerProcess(["--port", "0", "--store", url, "--demo"])
            let response = try SocketClient(port: server.port).get("/lists/demo")
            try server.stop()
            #expect(server.errors.contains("another server created the sample list"))
            return response
        }
        try waitUntil { try cluster.waitingForLocks(in: name) == 2 }
        #expect(!created.isDone && !served.isDone)
        lock.release()
        _ = try created.get()
        #expect(try served.get().text.contains("Of another server"))
        try other.stop()
    }

    /// `serve` waits for it: see `DatabaseStartTests`.
    @Test(arguments: [["export", "--all", "--store"], ["check"], ["migrate", "--store"]])
    func aDatabaseThatCantBeReachedIsReportedWithExitCode73(command: [String]) throws {
        let end = try ServerProcess.run(command + ["postgres://nobody@/x?host=/nowhere"])
        #expect(end.exitCode == 73)
        #expect(end.errors.contains("/nowhere/.s.PGSQL"), "\(end.errors)")
        expectPlainEnglish(end)
    }

    @Test func aHostWithoutAnAddressIsReportedWithExitCode69() throws {
        let end = try ServerProcess.run(
            ["serve", "--store", "memory", "--no-auth", "--host", "nowhere.invalid"])
        #expect(end.exitCode == 69)
        #expect(
            end.errors.contains("cannot listen on nowhere.invalid port 8080: "), "\(end.errors)")
        expectPlainEnglish(end)
    }

    /// A text for people has no names from the program, such as `unavailable(reason: "…")`.
    private func expectPlainEnglish(_ end: ServerProcess.Ended) {
        #expect(end.errors.firstMatch(of: #/[A-Za-z]\([a-z]+: /#) == nil, "\(end.errors)")
        #expect(!end.errors.contains("Error("), "\(end.errors)")
        #expect(end.output.isEmpty)
    }

    @Test func aStoreInUseIsReportedWithExitCode73() throws {
        try withTemporaryFolder { folder throws in
            let store = "file:\(folder.appending(path: "lists.db").path)"
            let first = try ServerProcess(["--port", "0", "--store", store])
            let end = try ServerProcess.run(["serve", "--port", "0", "--store", store])
            #expect(end.exitCode == 73)
            #expect(end.errors.contains(store), "\(end.errors)")
            let other = SocketClient(port: first.port)
            #expect(try other.get("/healthz").status == 200)
            try first.stop()
        }
    }

    @Test func aPortInUseIsReportedWithExitCode69() throws {
        let first = try ServerProcess(["--port", "0", "--store", "memory"])
        let end = try ServerProcess.run(
            ["serve", "--port", "\(first.port)", "--store", "memory"])
        #expect(end.exitCode == 69)
        #expect(
            end.errors.contains(
                "cannot listen on 127.0.0.1 port \(first.port): Address already in use"),
            "\(end.errors)")
        try first.stop()
    }
}
