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
        guard !authority.isEmpty, !authority.hasPrefix(":") else {
            return "The URL must have a host."
        }
        guard !authority.contains("@"), !authority.contains("\\") else {
            return "The URL must not have a user or a password."
        }
        guard !rest.contains("#") else { return "The URL must not have a fragment." }
        return nil
    }
}
