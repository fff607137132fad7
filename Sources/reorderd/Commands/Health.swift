import ArgumentParser
import Foundation
import MicroHTTP

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
        let host = Self.reachable(host ?? environment["REORDERD_HOST"] ?? "127.0.0.1")
        guard (1...65_535).contains(port) else {
            throw ValidationError("--port must be from 1 to 65535.")
        }
        do {
            let status = try ask(
                host, port, encrypted: tls || environment["REORDERD_TLS_CERT"] != nil)
            guard status == 200 else { throw Failure("the server returned \(status)") }
        } catch let failure as Failure {
            FileHandle.standardError.write(
                Data("\(host) port \(port): \(failure.reason)\n".utf8))
            throw ExitCode(1)
        }
    }

    private struct Failure: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// The address at which this machine reaches a server that listens on `host`.
    static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0", "": "127.0.0.1"
        case "::", "[::]": "::1"
        default: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        }
    }

    private func ask(_ host: String, _ port: Int, encrypted: Bool) throws -> Int {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = found?.pointee else {
            throw Failure("the address can't be resolved")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(address.ai_family, address.ai_socktype, 0)
        guard descriptor >= 0 else { throw Failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            throw Failure(String(cString: strerror(errno)))
        }
        let request = Array(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        let secured: TLSClient?
        do {
            secured = encrypted ? try TLSClient(on: descriptor) : nil
        } catch {
            throw Failure("\(error)")
        }
        let sent =
            secured?.send(request)
            ?? send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
        guard sent == request.count else { throw Failure("the request can't be sent") }
        // Only the status line matters: `HTTP/1.1 200 OK`.
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256)
        while answer.count < 12 {
            let count =
                secured?.receive(&piece) ?? recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { throw Failure("the server did not respond") }
            answer += piece.prefix(count)
        }
        let words = String(decoding: answer.prefix(12), as: UTF8.self).split(separator: " ")
        guard words.count == 2, let status = Int(words[1]) else {
            throw Failure("the response is not HTTP")
        }
        return status
    }
}
