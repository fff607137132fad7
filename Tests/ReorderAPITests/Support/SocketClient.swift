import Glibc
import Synchronization

/// A client over TCP with one persistent connection, which is opened again if the server closed it.
final class SocketClient: APIClient {
    enum Failure: Error {
        case cannotConnect(errno: Int32)
        /// The connection ended, or ten minutes passed, before the response was complete.
        case ended(received: String)
    }

    private let port: Int
    private let connection = Mutex<Connection?>(nil)

    init(port: Int) {
        self.port = port
    }

    func send(_ call: APIRequest) throws -> APIResponse {
        try connection.withLock { connection in
            let current = try connection ?? Connection(port: port)
            connection = nil
            current.write(call)
            let answer = try current.readAnswer(hasBody: call.method != "HEAD")
            if answer["Connection"]?.lowercased() != "close" { connection = current }
            return answer
        }
    }

    func fresh() -> any APIClient { SocketClient(port: port) }

    /// A connection for requests that are sent in pieces.
    func connect() throws -> Connection { try Connection(port: port) }

    func open(_ call: APIRequest) throws -> any EventReader {
        let connection = try Connection(port: port)
        connection.write(call)
        return try Reader(connection)
    }

    private final class Reader: EventReader {
        let answer: APIResponse
        private let connection: Connection
        private var text = EventText()
        private let gzip: Gzip.Stream?

        init(_ connection: Connection) throws {
            self.connection = connection
            answer = try connection.readAnswer()
            gzip = answer["Content-Encoding"] == "gzip" ? Gzip.Stream() : nil
        }

        func next() throws -> StreamedEvent? {
            while true {
                if let event = text.next() { return event }
                let chunk = try connection.readChunk()
                guard !chunk.isEmpty else { return nil }
                text.append(try gzip?.decompress(chunk) ?? chunk)
            }
        }
    }

    final class Connection {
        private let descriptor: Int32
        private var buffer: [UInt8] = []

        init(port: Int) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            // A long limit that is only reached if the server never responds.
            var timeout = timeval(tv_sec: 600, tv_usec: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout,
                socklen_t(MemoryLayout<timeval>.size))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(port)).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let result = withUnsafeBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) {
                    Glibc.connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
                }
            }
            guard result == 0 else {
                let code = errno
                close(descriptor)
                throw Failure.cannotConnect(errno: code)
            }
        }

        deinit { close(descriptor) }

        func write(_ call: APIRequest) {
            var head = "\(call.method) \(call.target) HTTP/1.1\r\n"
            if !call.fields.contains(where: { $0.name == "Host" }) { head += "Host: localhost\r\n" }
            for field in call.fields { head += "\(field.name): \(field.value)\r\n" }
            if !call.body.isEmpty || ["POST", "PUT"].contains(call.method) {
                head += "Content-Length: \(call.body.count)\r\n"
            }
            write(Array("\(head)\r\n".utf8) + call.body)
        }

        /// Writes a request. The server can close the connection before it has read everything; the
        /// next read reports that.
        func write(_ bytes: [UInt8]) {
            bytes.withUnsafeBytes { bytes in
                var sent = 0
                while sent < bytes.count {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                    let count = Glibc.send(
                        descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return }
                    sent += count
                }
            }
        }

        func readAnswer(hasBody: Bool = true) throws -> APIResponse {
            var answer = try readHead()
            while answer.status < 200 { answer = try readHead() }
            let length = answer["Content-Length"].flatMap { Int($0) } ?? 0
            guard hasBody, answer.status != 304, length > 0 else { return answer }
            while buffer.count < length { try receive() }
            answer.body = Array(buffer.prefix(length))
            buffer.removeFirst(length)
            try answer.decompress()
            return answer
        }

        /// Reads the head of the next response, which can be an interim one.
        func readHead() throws -> APIResponse {
            let end = Array("\r\n\r\n".utf8)
            while true {
                let start = buffer.indices.first { buffer[$0...].starts(with: end) }
                guard let start else {
                    try receive()
                    continue
                }
                let lines = String(decoding: buffer[..<start], as: UTF8.self).split(
                    separator: "\r\n")
                buffer.removeFirst(start + end.count)
                let status = lines.first?.split(separator: " ").dropFirst().first
                let fields = lines.dropFirst().map { line in
                    let name = line.prefix { $0 != ":" }
                    return (
                        name: String(name),
                        value: String(line.dropFirst(name.count + 1).drop { $0 == " " })
                    )
                }
                return APIResponse(
                    status: status.flatMap { Int($0) } ?? 0, fields: fields, body: [])
            }
        }

        /// Reads one chunk of a chunked body; empty at its end.
        func readChunk() throws -> [UInt8] {
            let end = Array("\r\n".utf8)
            while true {
                guard let line = buffer.indices.first(where: { buffer[$0...].starts(with: end) })
                else {
                    try receive()
                    continue
                }
                let count = Int(String(decoding: buffer[..<line], as: UTF8.self), radix: 16) ?? 0
                while buffer.count < line + 4 + count { try receive() }
                let chunk = Array(buffer[(line + 2)..<(line + 2 + count)])
                buffer.removeFirst(line + 4 + count)
                return chunk
            }
        }

        /// Whether the server has sent something that was not read, or has closed the connection.
        var hasData: Bool {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return !buffer.isEmpty || poll(&waiting, 1, 0) > 0
        }

        private func receive() throws {
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else {
                throw Failure.ended(received: String(decoding: buffer, as: UTF8.self))
            }
            buffer += chunk.prefix(count)
        }
    }
}
