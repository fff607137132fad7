import Foundation
import ProcessTesting
import Testing

/// `reorderd health`, which containers call.
@Suite struct HealthTests {
    @Test func healthReportsWhetherTheServerResponds() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        let port = "\(server.port)"
        for (arguments, environment, code) in [
            (["--port", port], [:], 0),
            (["--port", port, "--path", "/readyz"], [:], 0),
            (["--port", port, "--path", "/none"], [:], 1),
            ([], ["REORDERD_PORT": port], 0),
            ([], ["REORDERD_PORT": port, "REORDERD_HOST": "0.0.0.0"], 0),
            (["--host", "127.0.0.1"], ["REORDERD_PORT": port, "REORDERD_HOST": "192.0.2.1"], 0),
            (["--port", "0"], [:], 64),
            (["--path", "healthz"], [:], 64),
            (["--timeout-seconds", "0"], [:], 64),
        ] as [([String], [String: String], Int32)] {
            let ended = try ServerProcess.run(
                ["health", "--timeout-seconds", "60"] + arguments, environment: environment)
            #expect(ended.exitCode == code, "\(arguments) \(environment): \(ended)")
        }
        try server.stop()
        let ended = try ServerProcess.run(["health", "--port", port])
        #expect(ended.exitCode == 1)
        #expect(ended.errors.contains(port))
    }
}
