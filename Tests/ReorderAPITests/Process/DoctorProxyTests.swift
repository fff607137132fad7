import Foundation
import ProcessTesting
import Testing

/// `reorderd doctor --url`, with proxies that have a fault.
@Suite struct DoctorProxyTests {
    /// So that a quiet stream has a heartbeat soon.
    private static let options = ["--port", "0", "--store", "memory", "--heartbeat-seconds", "1"]

    private static func doctor(
        _ fault: TestProxy.Fault, _ server: ServerProcess, path: String = "", _ arguments: String...
    ) throws -> DoctorTests.Finding {
        let proxy = TestProxy(to: server.port, fault)
        defer { proxy.stop() }
        return try DoctorTests.doctor(
            ["--store", "memory", "--port", "\(server.port)", "--url", proxy.url + path] + arguments
        )
    }

    @Test func faultsOfAProxyAreFound() throws {
        let server = try ServerProcess(Self.options)
        let found = try Self.doctor(.none, server, path: "/")
        #expect(found.exitCode == 0, "\(found)")
        #expect(found.has("ok", "streams", "events arrive at once"), "\(found)")
        for (fault, path, check, part) in [
            (.buffering, "", "streams", "Turn buffering off"),
            (.none, "/lists", "proxy", "without the path of --url"),
            (.response("HTTP/1.1 200 OK\r\n\r\n<html>"), "", "proxy", "pass bodies unchanged"),
            (.response("HTTP/1.1 301 Moved\r\n\r\n"), "", "proxy", "to which it redirects"),
            (.response("HTTP/1.1 421 X\r\n\r\n"), "", "proxy", "if the proxy authenticates"),
            (.response("HTTP/1.1 502 X\r\n\r\n"), "", "proxy", "correct its address in the proxy"),
        ] as [(TestProxy.Fault, String, String, String)] {
            let found = try Self.doctor(fault, server, path: path)
            #expect(found.exitCode == 1, "\(part)")
            #expect(found.has("problem", check, part), "\(part): \(found)")
        }
        let port = server.port
        try server.stop()
        let ended = try DoctorTests.doctor([
            "--store", "memory", "--url", "http://127.0.0.1:\(port)",
        ])
        #expect(
            ended.exitCode == 1 && ended.has("problem", "proxy", "can't be reached"), "\(ended)")
    }

    @Test func aStreamIsOpenedWithAToken() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl").path
            let secret = folder.appending(path: "token").path
            let new = try ServerProcess.run(
                ["token", "new", "--name", "doctor", "--scope", "read", "--file", file],
                output: URL(filePath: secret))
            #expect(new.exitCode == 0)
            let server = try ServerProcess(Self.options + ["--tokens", file])
            var found = try Self.doctor(.none, server, "--tokens", file)
            #expect(found.exitCode == 0 && !found.text.contains("streams"), "\(found)")
            found = try Self.doctor(.none, server, "--tokens", file, "--url-token", secret)
            #expect(found.has("ok", "streams", "events arrive at once"), "\(found)")
            found = try Self.doctor(.none, server, "--tokens", file, "--url-token", file)
            #expect(found.has("problem", "streams", "a token that may read all lists"), "\(found)")
            found = try Self.doctor(.droppingAuthorization, server, "--tokens", file)
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "proxy", "it drops Authorization"), "\(found)")
            try server.stop()
        }
    }
}
