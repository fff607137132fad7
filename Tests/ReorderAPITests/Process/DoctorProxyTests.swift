import Foundation
import ProcessTesting
import Testing

/// `reorderd doctor --url`, with proxies that have a fault.
@Suite struct DoctorProxyTests {
    private static func doctor(
        _ fault: TestProxy.Fault, _ server: ServerProcess, _ arguments: String...
    ) throws -> DoctorTests.Finding {
        let proxy = TestProxy(to: server.port, fault)
        defer { proxy.stop() }
        let ended = try ServerProcess.run(
            ["doctor", "--store", "memory", "--port", "\(server.port)", "--url", proxy.url]
                + arguments)
        return DoctorTests.Finding(exitCode: ended.exitCode, text: ended.output + ended.errors)
    }

    @Test func aProxyWithoutAFaultPasses() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        let found = try Self.doctor(.none, server)
        #expect(found.exitCode == 0, "\(found)")
        #expect(found.has("ok", "proxy", "leads to a server"))
        #expect(found.has("ok", "streams", "the first event arrives at once"), "\(found)")
        try server.stop()
    }

    @Test func faultsOfAProxyAreFound() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        func answer(_ status: String, _ body: String = "x") -> TestProxy.Fault {
            .response(
                "HTTP/1.1 \(status)\r\nLocation: https://a.example/\r\nConnection: close\r\n\r\n\(body)"
            )
        }
        for (fault, check, part) in [
            (.buffering, "streams", "the proxy buffers them"),
            (.dropping("etag"), "proxy", "drops ETag"),
            (.dropping("content-type"), "streams", "their Content-Type is none"),
            (.host("lists.example"), "proxy", "--no-auth if the proxy authenticates"),
            (.path("/healthz", "/lists/healthz"), "proxy", "without the path of --url"),
            (.path("/events", "/none"), "streams", "/events returns 404"),
            (answer("200 OK", "<html>"), "proxy", "pass bodies unchanged"),
            (answer("301 Moved"), "proxy", "redirects: https://a.example/"),
            (answer("502 Bad Gateway"), "proxy", "correct its address in the proxy"),
        ] as [(TestProxy.Fault, String, String)] {
            let found = try Self.doctor(fault, server)
            #expect(found.exitCode == 1, "\(part)")
            #expect(found.has("problem", check, part), "\(part): \(found)")
        }
        let found = try Self.doctor(.path("/lists/%2E%2E/healthz", "/healthz"), server)
        #expect(
            found.exitCode == 0 && found.has("warning", "proxy", "normalizes paths"), "\(found)")
        try server.stop()
        let ended = try ServerProcess.run(
            ["doctor", "--store", "memory", "--url", "http://127.0.0.1:\(server.port)"])
        #expect(ended.exitCode == 1 && ended.output.contains("can't be reached"), "\(ended)")
    }

    @Test func aStreamIsOpenedWithAToken() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl").path
            let secret = folder.appending(path: "token").path
            let new = try ServerProcess.run(
                ["token", "new", "--name", "doctor", "--scope", "read", "--file", file],
                output: URL(filePath: secret))
            #expect(new.exitCode == 0)
            let server = try ServerProcess(["--port", "0", "--store", "memory", "--tokens", file])
            var found = try Self.doctor(.none, server, "--tokens", file)
            #expect(found.exitCode == 0 && found.has("ok", "streams", "not checked"), "\(found)")
            found = try Self.doctor(.none, server, "--tokens", file, "--url-token", secret)
            #expect(found.has("ok", "streams", "the first event arrives at once"), "\(found)")
            found = try Self.doctor(.dropping("authorization"), server, "--tokens", file)
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "proxy", "drops Authorization"))
            try server.stop()
        }
    }
}
