import Foundation
import Testing

/// Passes connections on to a server, and gives them other process numbers, as a pooler does.
final class PoolerStandIn: Sendable {
    let url: String
    private let folder: URL
    private let descriptor: Int32

    /// - Parameter server: the URL of a database, with the folder of its socket.
    init(to server: String) throws {
        var components = try #require(URLComponents(string: server))
        let items = try #require(components.queryItems)
        let host = try #require(items.first { $0.name == "host" }?.value)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let own = folder.path
        components.queryItems = items.map {
            $0.name == "host" ? URLQueryItem(name: "host", value: own) : $0
        }
        url = try #require(components.string)
        let listening = Self.withSocket(in: own) { bind($0, $1, $2) + listen($0, 64) }
        descriptor = listening
        Thread.detachNewThread {
            while true {
                let near = accept(listening, nil, nil)
                guard near >= 0 else { return }
                let far = Self.withSocket(in: host) { connect($0, $1, $2) }
                Thread.detachNewThread { Self.copy(near, far) { $0 } }
                Thread.detachNewThread { Self.copy(far, near, Self.withOtherProcess) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        try? FileManager.default.removeItem(at: folder)
    }

    private static func withSocket(
        in folder: String, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: (folder + "/.s.PGSQL.5432").utf8.prefix($0.count - 1))
        }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        _ = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, length)
            }
        }
        return descriptor
    }

    private static func copy(
        _ source: Int32, _ target: Int32, _ change: ([UInt8]) -> [UInt8]
    ) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = read(source, &buffer, buffer.count), count > 0 {
            let bytes = change(Array(buffer[..<count]))
            guard send(target, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    /// Changes the message with the process number and the key of cancellations, at the end of the first answer.
    private static func withOtherProcess(_ bytes: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [UInt8(ascii: "K"), 0, 0, 0, 12]
        guard let range = bytes.firstRange(of: head) else { return bytes }
        var bytes = bytes
        bytes[range.upperBound] ^= 0x40
        return bytes
    }
}
