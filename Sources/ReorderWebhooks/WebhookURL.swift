import Glibc

/// The rules for the URL of a receiver. The addresses of its host are checked when it is connected to.
package enum WebhookURL {
    /// Why a URL can't be used.
    package struct Fault: Error {
        /// A sentence.
        package var text: String
    }

    /// Returns the form of a URL that is stored and requested: with a lowercase scheme and host, and an
    /// international name as name servers know it.
    package static func normal(_ url: String, allowsHTTP: Bool) throws(Fault) -> String {
        let schemes = allowsHTTP ? ["https://", "http://"] : ["https://"]
        guard let scheme = schemes.first(where: { url.lowercased().hasPrefix($0) }) else {
            throw Fault(text: "The URL must begin with \(schemes.joined(separator: " or ")).")
        }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest.dropFirst(authority.count)
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Fault(
                text: "The path must have only visible ASCII characters. Encode others with %.")
        }
        guard let host = normal(authority: authority) else {
            throw Fault(
                text:
                    "The URL must have the name or address of a host, perhaps a port, and neither user nor password."
            )
        }
        guard !path.contains("#") else {
            throw Fault(text: "The URL must not have a fragment.")
        }
        let normal = scheme + host + path
        guard normal.utf8.count <= Webhook.maximumURLBytes else {
            throw Fault(text: "The URL must have at most \(Webhook.maximumURLBytes) bytes.")
        }
        return normal
    }

    /// The host of a URL in normal form, without its port.
    static func host(of url: String) -> String {
        let authority = url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { !"/?".contains($0) }
        guard !authority.hasPrefix("[") else {
            return String(authority.prefix { $0 != "]" } + "]")
        }
        return String(authority.prefix { $0 != ":" })
    }

    private static func normal(authority: Substring) -> String? {
        let isLiteral = authority.hasPrefix("[")
        let end = isLiteral ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":")
        guard end != nil || !isLiteral else { return nil }
        let hostEnd = end.map { isLiteral ? authority.index(after: $0) : $0 } ?? authority.endIndex
        let host = authority[..<hostEnd]
        let port = authority[hostEnd...]
        guard port.isEmpty || isValid(port: port.dropFirst()) && port.first == ":" else {
            return nil
        }
        if isLiteral {
            guard isAddress(host.dropFirst().dropLast()) else { return nil }
            return host.lowercased() + port
        }
        guard host.unicodeScalars.count <= 253, let name = Punycode.host(String(host)),
            (1...253).contains(name.utf8.count)
        else { return nil }
        return name + port
    }

    private static func isAddress(_ text: Substring) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(text), &address) == 1
    }

    private static func isValid(port: Substring) -> Bool {
        (1...5).contains(port.count) && port.allSatisfy { $0.isASCII && $0.isNumber }
            && UInt16(port) != nil && !(port.count == 5 && port.first == "0")
    }

    static func isHostCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
    }
}
