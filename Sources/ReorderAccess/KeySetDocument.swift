import JWTKit

/// A JSON Web Key Set as it is written (RFC 7517), as far as it counts here.
struct KeySetDocument: Decodable {
    var keys: [Key]

    struct Key: Decodable {
        var kty: String
        var kid: String?
        var alg: String?
        var use: String?
        var keyOperations: [String]?
        var crv: String?
        var x: String?
        var y: String?
        var n: String?
        var e: String?
        var k: String?
        /// Of a private key.
        var d: String?

        enum CodingKeys: String, CodingKey {
            case kty, kid, alg, use, crv, x, y, n, e, k, d
            case keyOperations = "key_ops"
        }
    }
}

extension KeySetDocument.Key {
    /// A key for one of the three algorithms, by what makes it up.
    enum Form {
        case secret(String?)
        case curve(x: String?, y: String?)
        case rsa(modulus: String?, exponent: String?)
    }

    /// `nil` where the key is for something else.
    var form: Form? {
        guard use == nil || use == "sig", keyOperations?.contains("verify") ?? true else {
            return nil
        }
        switch (kty, alg) {
        case ("oct", nil), ("oct", "HS256"): return .secret(k)
        case ("EC", nil), ("EC", "ES256"): return crv == "P-256" ? .curve(x: x, y: y) : nil
        case ("RSA", nil), ("RSA", "RS256"): return .rsa(modulus: n, exponent: e)
        default: return nil
        }
    }

    /// Whether who has it can sign.
    var isSecret: Bool { k != nil || d != nil }

    var fingerprint: TokenDigest {
        let parts = [kty, kid, x, y, n, e, k].map { $0.map { "=\($0)" } ?? "-" }
        return TokenDigest(of: Array(parts.joined(separator: "\n").utf8))
    }
}

extension KeySetDocument.Key.Form {
    private struct Unusable: Error {}

    /// What verifies with it. Only a key's public part is taken, where it has one.
    func algorithm() async throws -> any JWTAlgorithm {
        let keys = JWTKeyCollection()
        let id: JWKIdentifier = "key"
        switch self {
        case .secret(let text):
            guard let secret = text.flatMap({ Base64URL.decode($0.utf8) }), secret.count >= 32
            else { throw Unusable() }
            await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: id)
            return try await keys.getKey(for: id)
        case .curve(let x, let y):
            try await keys.add(jwk: .ecdsa(.es256, identifier: id, x: x, y: y, curve: .p256))
            return try await keys.getKey(for: id, alg: "ES256")
        case .rsa(let modulus, let exponent):
            try await keys.add(
                jwk: .rsa(.rs256, identifier: id, modulus: modulus, exponent: exponent))
            return try await keys.getKey(for: id, alg: "RS256")
        }
    }

    /// What such a key must be.
    var rule: String {
        switch self {
        case .secret: "k must be 32 bytes or more, in base64url"
        case .curve: "x and y must be a point of P-256"
        case .rsa: "n and e must be an RSA key of 2,048 bits or more"
        }
    }
}
