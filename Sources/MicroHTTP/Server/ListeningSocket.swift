import Glibc

/// A bound socket that listens. Closed when it is released.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    let port: Int

    /// - Parameter isListening: whether clients can connect; otherwise the address is only bound.
    init(host: String, port: Int, isListening: Bool = true) throws(HTTPServerError) {
        var bare = Substring(host)
        if bare.first == "[", bare.last == "]" { bare = bare.dropFirst().dropLast() }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(String(bare), String(port), &hints, &found)
        guard code == 0 else {
            throw .cannotResolve(host: host, reason: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(found) }

        var failure = EADDRNOTAVAIL
        var candidate = found
        while let address = candidate?.pointee {
            candidate = address.ai_next
            switch Self.bind(address, isListening: isListening) {
            case .success(let bound):
                descriptor = bound.descriptor
                self.port = bound.port
                return
            case .failure(let error): failure = error.code
            }
        }
        throw .cannotListen(host: host, port: port, reason: String(cString: strerror(failure)))
    }

    /// Uses a socket that another process has bound.
    init(descriptor: Int32) throws(HTTPServerError) {
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size)
        guard isListening != 0, let port = Self.boundPort(descriptor) else {
            throw .noListeningSocket(descriptor: descriptor)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        Self.limitUnsentBytes(descriptor)
        self.descriptor = descriptor
        self.port = port
    }

    deinit {
        close(descriptor)
    }

    private struct SystemError: Error {
        let code: Int32
    }

    private static func bind(
        _ address: addrinfo, isListening: Bool
    ) -> Result<(descriptor: Int32, port: Int), SystemError> {
        // Nonblocking: if the client disconnects between the event and `accept`, `accept` must not
        // block.
        let type = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, type, address.ai_protocol)
        guard descriptor >= 0 else { return .failure(SystemError(code: errno)) }
        setSocketOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        limitUnsentBytes(descriptor)
        if address.ai_family == AF_INET6 {
            // So that `::` also serves IPv4, whatever the system's default is.
            setSocketOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0)
        }
        guard Glibc.bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            !isListening || listen(descriptor, 1024) == 0, let port = boundPort(descriptor)
        else {
            defer { close(descriptor) }
            return .failure(SystemError(code: errno))
        }
        return .success((descriptor, port))
    }

    /// Limits the bytes that one `send` copies into the kernel. Accepted connections inherit the
    /// limit. Without it, one turn of an event loop copies megabytes for each client that reads a
    /// large document.
    private static func limitUnsentBytes(_ descriptor: Int32) {
        setSocketOption(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, 256 << 10)
    }

    /// Ends accepted connections whose clients have disappeared, for example because a network failed, twice this time
    /// after the last data. Accepted sockets inherit these options.
    func probeClients(afterSeconds seconds: Double) {
        let probes: Int32 = 3
        // The limits of the system.
        let idleSeconds = Int32(min(max(1, seconds), 32_767))
        setSocketOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        setSocketOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, idleSeconds)
        setSocketOption(
            descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(1, idleSeconds / probes))
        setSocketOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, probes)
    }

    private static func boundPort(_ descriptor: Int32) -> Int? {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        // An IPv4 address has the port at the same offset.
        let isInternet = [AF_INET, AF_INET6].contains(Int32(address.sin6_family))
        return code == 0 && isInternet ? Int(UInt16(bigEndian: address.sin6_port)) : nil
    }
}
