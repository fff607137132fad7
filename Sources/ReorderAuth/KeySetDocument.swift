import Foundation
import ReorderCrypto

/// The members of a JSON Web Key Set (RFC 7517) that are used here.
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
        /// The private part of a key.
        var d: String?

        enum CodingKeys: String, CodingKey {
            case kty, kid, alg, use, crv, x, y, n, e, k, d
            case keyOperations = "key_ops"
        }
    }
}

extension KeySetDocument.Key {
    /// The numbers of a key for one of the three algorithms.
    enum Form {
        case secret(String?)
        case curve(x: String?, y: String?)
        case rsa(modulus: String?, exponent: String?)
    }

    /// nil if the key has another use.
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

    /// Whether the key can sign.
    var isSecret: Bool { k != nil || d != nil }

    var fingerprint: TokenDigest {
        let parts = [kty, kid, x, y, n, e, k].map { $0.map { "=\($0)" } ?? "-" }
        return TokenDigest(of: Array(parts.joined(separator: "\n").utf8))
    }
}

extension KeySetDocument.Key.Form {
    /// The algorithm's name in a token's header.
    var algorithm: String {
        switch self {
        case .secret: "HS256"
        case .curve: "ES256"
        case .rsa: "RS256"
        }
    }

    /// The key, without its private part if it has a public one; nil if it is weak or damaged.
    var verification: VerificationKey? {
        switch self {
        case .secret(let text):
            text.flatMap { Base64URL.decode($0.utf8) }.flatMap { VerificationKey(secret: $0) }
        case .curve(let x, let y):
            Self.number(x).flatMap { x in
                Self.number(y).flatMap { VerificationKey(x: x, y: $0) }
            }
        case .rsa(let modulus, let exponent):
            Self.number(modulus).flatMap { modulus in
                Self.number(exponent).flatMap {
                    VerificationKey(modulus: modulus, exponent: $0)
                }
            }
        }
    }

    /// The bytes of a public number. Some issuers use plain base64 or padding. The standard does
    /// not allow it, but it is unambiguous.
    private static func number(_ text: String?) -> [UInt8]? {
        guard var text else { return nil }
        text = text.replacing("-", with: "+").replacing("_", with: "/")
        let rest = text.utf8.count % 4
        if rest > 0 { text += String(repeating: "=", count: 4 - rest) }
        return Data(base64Encoded: text).map { Array($0) }
    }

    /// The requirements for a key of this form.
    var rule: String {
        switch self {
        case .secret: "k must be 32 bytes or more, in base64url"
        case .curve: "x and y must be a point of P-256"
        case .rsa: "n and e must be an RSA key of 2,048 to 8,192 bits"
        }
    }
}
