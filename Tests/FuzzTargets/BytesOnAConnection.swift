import Glibc
import MicroHTTP
import Synchronization

/// Sends bytes to a server over a new connection, and reads everything that the server sends.
final class BytesOnAConnection: Sendable {
    static let shared = BytesOnAConnection()

    private let server: HTTPServer
    private let port: Int?

    private init() {
        let router = Router()
        let echo: Router.Handler = { exchange in
            let request = exchange.request
            // All properties that a handler can use.
            let size =
                request.rawPath.utf8.count + request.query.pairs.count
                + request.headers.fields.count + request.body.count
                + (request.query["a"]?.utf8.count ?? 0)
                + (request.pathParameters["id"]?.utf8.count ?? 0)
            return Response(
                status: 200, headers: ["Content-Type": "text/plain"],
                body: Array("\(size)\n".utf8))
        }
        for method in [HTTPMethod.get, .post, .put] {
            router.on(method, "/", echo)
            router.on(method, "/lists/:id", echo)
        }
        var configuration = HTTPServerConfiguration()
        configuration.threadCount = 1
        configuration.maximumBodyBytes = 4_096
        configuration.maximumDiscardedBytes = 4_096
        // Some inputs are incomplete requests. The server then responds soon that their time is over.
        configuration.requestTimeoutSeconds = 0.2
        configuration.idleTimeoutSeconds = 1
        server = HTTPServer(configuration, router: router)
        port = try? server.start()
    }

    func fault(in bytes: [UInt8]) -> String? {
        guard let port else { return "the server does not start" }
        guard let received = exchange(bytes, port) else { return nil }
        // A response's head is followed by a body of the stated length. Only heads are searched
        // for.
        guard !received.isEmpty else { return nil }
        guard received.starts(with: "HTTP/1.".utf8) else {
            return "the received bytes are not a response"
        }
        let text = String(decoding: received, as: UTF8.self)
        for part in text.split(separator: "HTTP/1.1 ").dropFirst(0) {
            guard let status = Int(part.prefix(3)), (100...599).contains(status) else {
                return "a response without a status: \(part.prefix(20))"
            }
            if status == 500 { return "the response is an internal error" }
        }
        return nil
    }

    /// Returns nil if the connection failed.
    private func exchange(_ bytes: [UInt8], _ port: Int) -> [UInt8]? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        // Closes with a reset, because connections in TIME_WAIT would use up all ports.
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return nil }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(
                    descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        shutdown(descriptor, Int32(SHUT_WR))
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            received += piece.prefix(count)
        }
        return received
    }
}
