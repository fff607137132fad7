import Foundation
import Glibc

/// A proxy in front of a server, with a fault that administrators make. It serves one request on each
/// connection.
final class TestProxy: Sendable {
    enum Fault: Sendable {
        case none
        /// Sends a response when it is complete.
        case buffering
        /// Leaves out a field of requests and responses; the name is in lower case.
        case dropping(String)
        case host(String)
        /// Does not ask the server.
        case response(String)
        /// Replaces this text in the request's first line.
        case path(String, String)
    }

    let port: Int
    private let target: Int
    private let fault: Fault
    private let listener: Int32

    var url: String { "http://127.0.0.1:\(port)" }

    init(to target: Int, _ fault: Fault) {
        self.target = target
        self.fault = fault
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) + listen(descriptor, 64)
                    + getsockname(descriptor, $0, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [self] in
                    serve(client)
                    close(client)
                }
            }
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        return address
    }

    private func serve(_ client: Int32) {
        guard let (head, _) = Self.readHead(client) else { return }
        if case .response(let text) = fault {
            _ = Self.send(Array(text.utf8), client)
            return
        }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = Self.loopback(target)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected, Self.send(changed(head + ["Connection: close"]), server),
            let (answer, rest) = Self.readHead(server)
        else { return }
        var kept = changed(answer) + rest
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            if case .buffering = fault {
            } else {
                guard Self.send(kept, client) else { return }
                kept = []
            }
            let count = recv(server, &piece, piece.count, 0)
            guard count > 0 else { break }
            kept += piece.prefix(count)
        }
        _ = Self.send(kept, client)
    }

    private func changed(_ head: [String]) -> [UInt8] {
        var lines = head
        switch fault {
        case .dropping(let name): lines.removeAll { $0.lowercased().hasPrefix("\(name):") }
        case .host(let host): lines = lines.map { $0.hasPrefix("Host:") ? "Host: \(host)" : $0 }
        case .path(let text, let other): lines[0] = lines[0].replacing(text, with: other)
        case .none, .buffering, .response: break
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The lines of a head, and what follows it.
    private static func readHead(_ socket: Int32) -> ([String], rest: [UInt8])? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                return (head.components(separatedBy: "\r\n"), Array(bytes[end.upperBound...]))
            }
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece.prefix(count)
        }
    }

    private static func send(_ bytes: [UInt8], _ socket: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
