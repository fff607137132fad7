import Foundation
import Glibc
import RawHTTP

/// A proxy in front of a server, with a fault that administrators make. It serves one request on each
/// connection.
final class TestProxy: Sendable {
    enum Fault: Sendable {
        case none
        /// Holds back what follows the first event of a stream.
        case buffering
        case droppingAuthorization
        /// Sends this, and does not ask the server.
        case response(String)
    }

    let port: Int
    private let target: Int
    private let fault: Fault
    private let listener: Int32

    var url: String { "http://127.0.0.1:\(port)" }

    init(to target: Int, _ fault: Fault) {
        self.target = target
        self.fault = fault
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) + listen(listener, 64)
                    + getsockname(listener, $0, &length)
            }
        }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [self] in
                    try? serve(client)
                    close(client)
                }
            }
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ client: Int32) throws {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        var head = ""
        while !head.contains("\r\n\r\n") {
            let count = recv(client, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            head += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        if case .response(let text) = fault {
            _ = send(Array(text.utf8), to: client)
            return
        }
        var lines = head.components(separatedBy: "\r\n")
        lines.insert("Connection: close", at: 1)
        if case .droppingAuthorization = fault {
            lines.removeAll { $0.hasPrefix("Authorization:") }
        }
        let server = try RawClient(port: target)
        server.send(lines.joined(separator: "\r\n"))
        if case .buffering = fault, head.hasPrefix("GET /events") {
            _ = send(Array(try server.read(until: "event: hello").utf8), to: client)
            _ = send(Array(server.readToEnd().utf8), to: client)
        } else {
            while send(try server.readBytes(1), to: client) {}
        }
    }

    private func send(_ bytes: [UInt8], to client: Int32) -> Bool {
        Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}
