import Foundation
import MicroHTTP

/// The server at an address of this machine. Its certificate is not verified.
struct LocalServer {
    let host: String
    let port: Int
    let isEncrypted: Bool
    let limitSeconds: Int

    struct Failure: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// - Parameter host: the address that the server listens on. If these are all addresses, the request goes to
    ///   the loopback address.
    init(listeningOn host: String, port: Int, isEncrypted: Bool, limitSeconds: Int) {
        self.host =
            switch host {
            case "0.0.0.0", "": "127.0.0.1"
            case "::", "[::]": "::1"
            default: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            }
        self.port = port
        self.isEncrypted = isEncrypted
        self.limitSeconds = limitSeconds
    }

    /// Requests a path.
    ///
    /// - Parameter byteCount: the number of bytes of the response to wait for, unless it is shorter.
    func get(
        _ path: String, byteCount: Int = 12
    ) throws(Failure) -> (status: Int, beginning: String) {
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
        var timeout = timeval(tv_sec: limitSeconds, tv_usec: 0)
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
            secured = isEncrypted ? try TLSClient(on: descriptor) : nil
        } catch {
            throw Failure("\(error)")
        }
        let sent =
            secured?.send(request)
            ?? send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
        guard sent == request.count else { throw Failure("the request can't be sent") }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256)
        while answer.count < byteCount {
            let count =
                secured?.receive(&piece) ?? recv(descriptor, &piece, piece.count, 0)
            guard count > 0 || answer.count >= 12 else {
                throw Failure("the server did not respond")
            }
            guard count > 0 else { break }
            answer += piece.prefix(count)
        }
        // The status line: `HTTP/1.1 200 OK`.
        let words = String(decoding: answer.prefix(12), as: UTF8.self).split(separator: " ")
        guard words.count == 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else {
            throw Failure("the response is not HTTP")
        }
        return (status, String(decoding: answer, as: UTF8.self))
    }
}
