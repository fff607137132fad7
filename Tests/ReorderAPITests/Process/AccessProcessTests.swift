import Foundation
import ProcessTesting
import Testing

/// The access control of `reorderd serve`.
@Suite(.serialized) struct AccessProcessTests {
    private static let store = ["--port", "0", "--store", "memory"]

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.7", "lists.example", "127.0.0.1.example"])
    func withoutTokensTheServerListensOnLoopbackOnly(host: String) throws {
        for (arguments, environment) in [
            (["--host", host], [:]), ([], ["REORDERD_HOST": host]),
            (["--host", host], ["REORDERD_NO_AUTH": "false"]),
        ] {
            let end = try ServerProcess.run(
                ["serve"] + Self.store + arguments, environment: environment)
            #expect(end.exitCode == 64)
            #expect(
                end.errors.contains("the server listens on loopback addresses only"),
                "\(end.errors)")
            #expect(end.errors.contains("--no-auth"))
            #expect(end.output.isEmpty)
        }
    }

    /// The server starts without the keys of an issuer that can't be reached, and accepts no signed token.
    @Test func theKeysOfAnIssuerNeedNotBeReachable() throws {
        let server = try ServerProcess(Self.store + ["--jwks", "https://127.0.0.1:1/keys"])
        let field = ["Authorization": "Bearer e30.e30.e30"]
        #expect(try SocketClient(port: server.port).get("/lists", field).status == 401)
        try server.stop()
        #expect(server.errors.contains("https://127.0.0.1:1/keys can't be used"))
        let plain = try ServerProcess.run(["serve"] + Self.store + ["--jwks", "http://e.org/keys"])
        #expect(plain.exitCode == 64 && plain.errors.contains("https://"))
    }

    @Test func eachNameOfLoopbackIsAccepted() throws {
        for host in ["127.0.0.1", "127.0.0.2", "localhost", "LOCALHOST"] {
            try ServerProcess(Self.store + ["--host", host]).stop()
        }
    }

    @Test func noAuthListensOnAnyAddressAndAcceptsAnyHost() throws {
        for environment in [[:], ["REORDERD_NO_AUTH": "true"]] {
            let arguments = ["--host", "0.0.0.0"] + (environment.isEmpty ? ["--no-auth"] : [])
            let server = try ServerProcess(Self.store + arguments, environment: environment)
            let client = SocketClient(port: server.port)
            let names = ["Host": "lists.example", "Origin": "https://page.example"]
            #expect(try client.get("/lists", names).status == 200)
            #expect(try client.put("/lists/l", #"{"title":""}"#, names).status == 201)
            try server.stop()
        }
    }

    @Test func withoutTokensOnlyLocalHostNamesAreAccepted() throws {
        let server = try ServerProcess(Self.store + ["--cors-origin", "https://app.example"])
        let client = SocketClient(port: server.port)
        for host in [
            "localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:1", "127.1.2.3:80", "[::1]:8080",
            "[::1]", "a.localhost:3000",
        ] {
            #expect(try client.get("/lists", ["Host": host]).status == 200, "\(host)")
        }
        for host in [
            "lists.example", "127.0.0.1.example:8080", "localhost.example", "192.0.2.7", "[::2]",
            "127.0.0.1:8080.example", "127.0.0.256", "127.0.0", "localhost:x", "notlocalhost", "",
        ] {
            let answer = try client.get("/lists", ["Host": host])
            #expect(answer.status == 421, "\(host)")
            #expect(answer.code == "misdirected_request")
            #expect(try client.get("/", ["Host": host]).status == 421)
        }
        // Requests that a page can make a browser send without a preflight.
        for (origin, status) in [
            ("https://page.example", 403), ("null", 403), ("http://127.0.0.1:81", 403),
            ("http://127.0.0.1:80", 201), ("https://app.example", 201),
        ] {
            let fields = ["Host": "127.0.0.1:80", "Origin": origin]
            #expect(try client.post("/lists", #"{"title":""}"#, fields).status == status)
            #expect(try client.get("/lists", fields).status == 200)
        }
        try server.stop()
    }

    @Test func aTokenFileIsReloadedUnlessItIsInvalid() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl")
            func new(_ name: String, _ scope: String) throws -> [String: String] {
                let end = try ServerProcess.run([
                    "token", "new", "--name", name, "--scope", scope, "--file", file.path,
                ])
                return ["Authorization": "Bearer \(end.output.dropLast())"]
            }
            let first = try new("first", "write")
            let server = try ServerProcess(
                Self.store + ["--host", "0.0.0.0", "--tokens", file.path, "--log-level", "trace"])
            let client = CheckedClient(SocketClient(port: server.port))
            #expect(try client.get("/lists").status == 401)
            #expect(try client.get("/lists", first.merging(["Host": "any"]) { $1 }).status == 200)
            #expect(try client.put("/lists/l", #"{"title":""}"#, first).status == 201)
            let stream = try client.watch("l", "", first)
            try stream.expect("hello")

            let second = try new("second", "read")
            server.send(signal: SIGHUP)
            try server.waitForErrors("tokens=2")
            #expect(try client.get("/lists", second).status == 200)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")

            try "\(lines[1])\nnonsense\n".write(to: file, atomically: true, encoding: .utf8)
            server.send(signal: SIGHUP)
            try server.waitForErrors("line 2: it is not a JSON object")
            #expect(try client.get("/lists", first).status == 200)

            try "\(lines[1])\n".write(to: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o666], ofItemAtPath: file.path)
            server.send(signal: SIGHUP)
            try server.waitForErrors("can write to it, and so grant themselves access")
            #expect(try stream.next() == nil)
            #expect(try client.get("/lists", first).status == 401)
            #expect(try client.get("/lists", second).status == 200)

            try server.stop()
            for field in [first, second] {
                let token = try #require(field["Authorization"]?.split(separator: " ").last)
                #expect(!server.errors.contains(token))
                #expect(!server.errors.contains(token.dropFirst(4)))
            }
            for line in lines {
                let digest = try #require(line.firstMatch(of: /[0-9a-f]{64}/)?.output)
                #expect(!server.errors.contains(digest))
            }
        }
    }

    @Test func anUnusableFileIsReportedWithExitCode78() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl").path
            for text in [nil, "{}", "\u{FFFD}"] {
                if let text { try text.write(toFile: file, atomically: true, encoding: .utf8) }
                let end = try ServerProcess.run(["serve"] + Self.store + ["--tokens", file])
                #expect(end.exitCode == 78)
                #expect(end.errors.contains(file), "\(end.errors)")
            }
        }
    }

    /// Opening a pipe for reading blocks until a writer opens it. That must not prevent later
    /// reloads.
    @Test func aPipeInsteadOfATokenFileIsRefused() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl").path
            try "".write(toFile: file, atomically: true, encoding: .utf8)
            let server = try ServerProcess(Self.store + ["--tokens", file])
            unlink(file)
            #expect(mkfifo(file, 0o600) == 0)
            server.send(signal: SIGHUP)
            try server.waitForErrors("it is not a regular file")
            unlink(file)
            let new = ["token", "new", "--name", "n", "--scope", "read", "--file", file]
            #expect(try ServerProcess.run(new).exitCode == 0)
            server.send(signal: SIGHUP)
            try server.waitForErrors("tokens=1")
            try server.stop()
        }
    }

    @Test func tokensAndNoAuthExcludeEachOther() throws {
        let end = try ServerProcess.run(["serve"] + Self.store + ["--tokens", "x", "--no-auth"])
        #expect(end.exitCode == 64)
        #expect(end.errors.contains("--no-auth can't be combined"))
    }
}
