/// The rules for the URL of a receiver. The addresses of its host are checked when it is connected to.
package enum WebhookURL {
    /// Returns why the URL can't be used, as a sentence; nil if it can.
    package static func fault(of url: String, allowsHTTP: Bool) -> String? {
        let schemes = allowsHTTP ? ["https://", "http://"] : ["https://"]
        guard url.utf8.count <= Webhook.maximumURLBytes else {
            return "The URL must have at most \(Webhook.maximumURLBytes) bytes."
        }
        guard let scheme = schemes.first(where: { url.hasPrefix($0) }) else {
            return "The URL must begin with \(schemes.joined(separator: " or "))."
        }
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "The URL must have only visible ASCII characters. Encode others with %."
        }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard isValid(authority: authority) else {
            return
                "The URL must have the name of a host, perhaps a port, and neither user nor password."
        }
        guard !rest.contains("#") else { return "The URL must not have a fragment." }
        return nil
    }

    private static func isValid(authority: Substring) -> Bool {
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, parts.count <= 2,
            host.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHostCharacter })
        else { return false }
        guard parts.count == 2 else { return true }
        let port = parts[1]
        return (1...5).contains(port.count) && port.allSatisfy(\.isNumber)
            && UInt16(port) != nil && !(port.count == 5 && port.first == "0")
    }
}

extension Character {
    fileprivate var isHostCharacter: Bool {
        isASCII && (isLetter || isNumber || "._-".contains(self))
    }
}
