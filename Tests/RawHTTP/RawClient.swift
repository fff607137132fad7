import Glibc
import Waiting

/// A TCP client that sends exactly the given bytes and reads responses one by one.
package final class RawClient {
    package struct Answer {
        package var status: Int
        package var fields: [(name: String, value: String)]
        package var bytes: [UInt8] = []

        package var body: String { String(decoding: bytes, as: UTF8.self) }

        package subscript(name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    package enum Failure: Error {
        case cannotConnect(errno: Int32)
        /// The connection ended, or `hangSeconds` passed, within a response.
        case ended(received: String)
    }

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// - Parameter source: the client's own IPv4 address.
    package init(
        port: Int, host: String = "127.0.0.1", source: String? = nil,
        receiveBufferBytes: Int32? = nil
    ) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee
        else { throw Failure.cannotConnect(errno: errno) }
        defer { freeaddrinfo(found) }
        descriptor = socket(address.ai_family, address.ai_socktype, 0)
        var timeout = timeval(tv_sec: Int(hangSeconds), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &timeout,
                socklen_t(MemoryLayout<timeval>.size))
        }
        // Otherwise the kernel holds a second piece back until the first is acknowledged, 40 ms later.
        var isOn: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        if var receiveBufferBytes {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBufferBytes,
                socklen_t(MemoryLayout<Int32>.size))
        }
        if let source {
            var local = sockaddr_in()
            local.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, source, &local.sin_addr)
            let code = withUnsafePointer(to: &local) { local in
                local.withMemoryRebound(to: sockaddr.self, capacity: 1) { local in
                    bind(descriptor, local, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard code == 0 else { throw Failure.cannotConnect(errno: errno) }
        }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            throw Failure.cannotConnect(errno: errno)
        }
    }

    /// Also runs if `init` throws after it has set all properties.
    deinit { close(descriptor) }

    /// Sends all bytes; returns false if the server closed the connection before.
    @discardableResult
    package func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.send(
                    descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends a request without a body and reads the response.
    package func get(_ target: String, method: String = "GET") throws -> Answer {
        send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
        return try readAnswer(hasBody: method != "HEAD")
    }

    /// Reads one response, and skips interim ones (100 Continue).
    ///
    /// - Parameter hasBody: false for the response to HEAD.
    package func readAnswer(hasBody: Bool = true) throws -> Answer {
        var answer: Answer
        repeat { answer = try readHead() } while answer.status < 200
        let length = answer["Content-Length"].flatMap(Int.init) ?? 0
        guard hasBody, answer.status != 304 else { return answer }
        while buffer.count < length { try receive() }
        answer.bytes = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return answer
    }

    /// Reads this number of bytes.
    package func readBytes(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try receive() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Reads the head of the next response, also of an interim one.
    package func readHead() throws -> Answer {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let start = buffer.indices.first(where: { buffer[$0...].starts(with: end) }) {
                let head = String(decoding: buffer[..<start], as: UTF8.self)
                buffer.removeFirst(start + end.count)
                let lines = head.split(separator: "\r\n")
                let status = lines.first?.split(separator: " ").dropFirst().first.flatMap {
                    Int($0)
                }
                let fields = lines.dropFirst().map { line in
                    let name = line.prefix { $0 != ":" }
                    let value = line.dropFirst(name.count + 1).drop { $0 == " " }
                    return (name: String(name), value: String(value))
                }
                return Answer(status: status ?? 0, fields: fields)
            }
            try receive()
        }
    }

    /// Reads until a text has arrived, and returns everything up to its end.
    package func read(until text: String) throws -> String {
        let end = Array(text.utf8)
        var searched = 0
        while true {
            while searched + end.count <= buffer.count {
                if buffer[searched..<searched + end.count].elementsEqual(end) {
                    let read = String(decoding: buffer[..<(searched + end.count)], as: UTF8.self)
                    buffer.removeFirst(searched + end.count)
                    return read
                }
                searched += 1
            }
            try receive()
        }
    }

    /// Reads one chunk of a chunked body; empty at its end.
    package func readChunk() throws -> [UInt8] {
        let line = try read(until: "\r\n").dropLast()
        let count = Int(line, radix: 16) ?? 0
        while buffer.count < count + 2 { try receive() }
        defer { buffer.removeFirst(count + 2) }
        return Array(buffer.prefix(count))
    }

    /// Waits for bytes or the end of the connection. Returns whether the connection ended without
    /// more bytes.
    package func isClosed() -> Bool {
        guard buffer.isEmpty else { return false }
        do {
            try receive()
            return false
        } catch {
            return true
        }
    }

    /// The rest of the bytes, until the server closes the connection.
    package func readToEnd() -> String {
        while (try? receive()) != nil {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Reads some bytes and returns their number; nil at the end of the connection.
    package func take(upTo most: Int) -> Int? {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &bytes, most, 0)
        return count > 0 ? count : nil
    }

    /// Whether something can be read, or the connection has ended, within a millisecond.
    package func hasData() -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !buffer.isEmpty || poll(&waiting, 1, 1) > 0
    }

    /// Closes the sending side of the connection.
    package func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
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
