import Foundation
import Glibc
import Synchronization
import Waiting

/// A receiver on a socket of 127.0.0.1. It accepts one connection after the other.
final class SocketReceiver: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let state = Mutex((requests: [String](), open: [Int32]()))

    /// - Parameter response: what it sends after each request; nil: it sends nothing and keeps the
    ///   connection open.
    init(response: String?) {
        signal(SIGPIPE, SIG_IGN)
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, length) + listen(listening, 64)
                    + getsockname(listening, $0, &length)
            }
        }
        descriptor = listening
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listening, nil, nil)
                guard connection >= 0 else { return }
                let request = Self.read(connection)
                state.withLock { $0.requests.append(request) }
                guard let response else {
                    state.withLock { $0.open.append(connection) }
                    continue
                }
                var rest = Array(response.utf8)[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                close(connection)
            }
        }
    }

    deinit { stop() }

    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        for connection in state.withLock({ state in
            defer { state.open = [] }
            return state.open
        }) {
            close(connection)
        }
    }

    var requests: [String] { state.withLock(\.requests) }

    /// Reads the head and the body of a request.
    private static func read(_ connection: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Glibc.read(connection, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            guard let field = text.range(of: "Content-Length: ") else { break }
            let length = Int(text[field.upperBound...].prefix { $0.isNumber }) ?? 0
            if text[end.upperBound...].utf8.count >= length { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
