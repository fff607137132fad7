import ArgumentParser
import MicroHTTP

/// A value of `--cors-origin`: an origin as browsers send it, or `*`.
enum AllowedOrigin: Equatable {
    case any
    case one(String)

    /// Reads an origin. A slash at its end and the default port are left out, as browsers do: otherwise the
    /// origin would never match.
    ///
    /// - Throws: a `ValidationError` with the reason if the value is not an origin, for example because it has a path.
    init(option argument: String) throws {
        guard argument != "*" else {
            self = .any
            return
        }
        let text = argument.lowercased()
        guard let separator = text.firstRange(of: "://"), separator.lowerBound > text.startIndex,
            text[..<separator.lowerBound].utf8.allSatisfy(Self.isSchemeByte)
        else { throw Self.invalid("it has no scheme") }
        let scheme = text[..<separator.lowerBound]
        guard !["ws", "wss", "ftp", "file"].contains(scheme) else {
            throw Self.invalid("no page has an origin with this scheme")
        }
        var host = text[separator.upperBound...]
        if host.last == "/" { host.removeLast() }
        guard !host.contains(where: { "/?#".contains($0) }) else {
            throw Self.invalid("an origin has no path")
        }
        guard !host.contains("@") else { throw Self.invalid("an origin has no user") }
        var port: Int?
        let end = host.last == "]" ? nil : host.lastIndex(of: ":")
        if let end {
            let digits = host[host.index(after: end)...].utf8
            port = digits.allSatisfy(Self.isDigit) ? Int(String(digits) ?? "") : nil
            guard let port, (1...65_535).contains(port) else {
                throw Self.invalid("its port must be from 1 to 65535")
            }
            host = host[..<end]
        }
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else {
            throw Self.invalid(
                "its host must have letters, digits, dots and hyphens only; write an international "
                    + "name as browsers send it (xn--…)")
        }
        if host.first == "[" {
            guard let address = ClientAddress(host), host.last == "]" else {
                throw Self.invalid("its host is not an address")
            }
            host = "[\(address)]"
        } else if host.contains(where: { "[]:".contains($0) }) {
            throw Self.invalid("an IPv6 address must be in brackets")
        } else if host.split(separator: ".").last?.utf8.allSatisfy(Self.isDigit) ?? false {
            // Browsers send 127.0.0.1 for 127.1.
            guard ClientAddress(host).map({ "\($0)" == host }) ?? false else {
                throw Self.invalid("an IPv4 address has four numbers")
            }
        }
        let standard = ["http": 80, "https": 443][String(scheme)]
        self = .one("\(scheme)://\(host)" + (port == standard ? "" : port.map { ":\($0)" } ?? ""))
    }

    /// The origins that the values allow together; nil without values.
    static func all(_ values: [AllowedOrigin]) -> CrossOrigin.Origins? {
        guard !values.isEmpty else { return nil }
        guard !values.contains(.any) else { return .any }
        return .only(
            Set(
                values.compactMap { value in
                    if case .one(let origin) = value { origin } else { nil }
                }))
    }

    private static func invalid(_ reason: String) -> ValidationError {
        ValidationError(
            "\(reason). An origin is a scheme, a host, and a port if it is not the default one, such as "
                + "https://app.example or http://localhost:3000; * allows all.")
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    /// Whether a host may contain the byte. The host may be an IPv6 address in brackets.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        isSchemeByte(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte)
    }
}
