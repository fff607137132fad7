import Foundation

/// The keys that an issuer of signed tokens publishes.
package struct IssuerKeys: Sendable {
    /// Where the keys are, or the issuer's discovery document (OpenID Connect Discovery), which says where
    /// they are. Begins with `https://`.
    package let url: String
    /// The accepted issuers; empty if all are.
    private let issuers: [String]
    /// Reads the document at a URL. Blocks.
    private let read: @Sendable (_ url: String) throws -> [UInt8]

    package static let scheme = "https://"

    package struct Fault: Error, CustomStringConvertible {
        package var description: String
    }

    private struct Discovery: Decodable {
        var issuer: String
        var keys: String

        enum CodingKeys: String, CodingKey {
            case issuer
            case keys = "jwks_uri"
        }
    }

    package init(
        url: String, issuers: [String], read: @escaping @Sendable (_ url: String) throws -> [UInt8]
    ) {
        self.url = url
        self.issuers = issuers
        self.read = read
    }

    /// Reads the current keys. Blocks.
    package func current() throws -> JSONWebKeys {
        var document = Data(try read(url))
        if let discovery = try? JSONDecoder().decode(Discovery.self, from: document) {
            guard issuers.isEmpty || issuers.contains(discovery.issuer) else {
                throw Fault(description: "its issuer is not one of --jwt-issuer")
            }
            guard discovery.keys.lowercased().hasPrefix(Self.scheme) else {
                throw Fault(description: "its jwks_uri does not begin with \(Self.scheme)")
            }
            document = Data(try read(discovery.keys))
        }
        let keys = try JSONWebKeys(json: document)
        guard !keys.hasSecrets else {
            throw Fault(
                description: "it contains keys that can sign, which everybody can read there")
        }
        return keys
    }
}
