/// The names and addresses of the loopback interface.
package enum Loopback {
    /// Whether a host is a loopback name or address: `localhost` or a name below it, 127.0.0.0/8, `::1`, with or without
    /// brackets. Other names are not resolved.
    package static func contains(host: some StringProtocol) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host == "[::1]" {
            return true
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(isDigit)
                    && Int(part).map { $0 <= 255 } ?? false
            }
    }

    /// Whether a `Host` field, with or without a port, has a loopback name or address.
    static func contains(authority: String) -> Bool {
        guard let colon = authority.lastIndex(of: ":"),
            authority[authority.index(after: colon)...].utf8.allSatisfy(isDigit)
        else { return contains(host: authority) }
        let host = authority[..<colon]
        // The last part of an address without brackets is not a port.
        return (!host.contains(":") || host.hasPrefix("[")) && contains(host: host)
    }

    /// A fast check for the most common values. If it returns false, the host may still be a
    /// loopback name.
    fileprivate static func isPlain(_ authority: UnsafeBufferPointer<UInt8>) -> Bool {
        for host: StaticString in ["127.0.0.1", "localhost"] {
            let count = host.utf8CodeUnitCount
            guard authority.count >= count,
                UnsafeBufferPointer(rebasing: authority[..<count]).equals(host)
            else { continue }
            let rest = authority[count...]
            return rest.isEmpty
                || rest.first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(isDigit)
        }
        return false
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension Request {
    /// Whether `Host` is a loopback name or address, or is missing, as in HTTP/1.0.
    package var isForLoopback: Bool {
        headers.withOnly("host") { host in
            Loopback.isPlain(host)
                || Loopback.contains(authority: String(decoding: host, as: UTF8.self))
        } ?? true
    }
}
