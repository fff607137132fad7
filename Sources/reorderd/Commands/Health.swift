import ArgumentParser
import Foundation

/// Requests `/healthz` from a running server, so a container image needs no HTTP client.
struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check that this machine's server responds.",
        discussion: """
            For a container's health check. If the server listens on all addresses, the request \
            goes to the loopback address. Without options, the address and the port are those of \
            REORDERD_HOST and REORDERD_PORT. With REORDERD_TLS_CERT or --tls the request uses TLS; \
            the server's certificate is not verified.

            Exit codes: 0 if the server returns 200; 1 if it does not; 64 for wrong arguments.
            """)

    @Option(help: "The server's address.")
    var host: String?

    @Option(help: "The server's port.")
    var port: Int?

    @Flag(help: "Use TLS.")
    var tls = false

    @Option(
        help:
            "The path to request: /healthz; /readyz to check that the server can read; /readyz/writes to check that it can also write."
    )
    var path = "/healthz"

    @Option(help: "The time limit, in seconds.")
    var timeoutSeconds = 3

    func validate() throws {
        guard (1...60).contains(timeoutSeconds) else {
            throw ValidationError("--timeout-seconds must be from 1 to 60.")
        }
        guard path.hasPrefix("/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ValidationError("--path must be a path that begins with \"/\".")
        }
    }

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let port = port ?? environment["REORDERD_PORT"].flatMap { Int($0) } ?? 8080
        guard (1...65_535).contains(port) else {
            throw ValidationError("--port must be from 1 to 65535.")
        }
        let server = LocalServer(
            listeningOn: host ?? environment["REORDERD_HOST"] ?? "127.0.0.1", port: port,
            isEncrypted: tls || environment["REORDERD_TLS_CERT"] != nil,
            limitSeconds: timeoutSeconds)
        do throws(LocalServer.Failure) {
            let status = try server.get(path).status
            guard status == 200 else { throw LocalServer.Failure("the server returned \(status)") }
        } catch {
            StandardError.line("\(server.host) port \(port): \(error.reason)")
            throw ExitCode(1)
        }
    }
}
