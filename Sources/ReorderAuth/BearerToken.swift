import Foundation

/// Parses an `Authorization` field (RFC 6750, section 2.1; RFC 7617).
enum BearerToken {
    /// The maximum length of a token, in bytes.
    static let maximumBytes = 8_192

    /// The token in the field's values, of which there must be exactly one.
    ///
    /// - Parameter isPassword: whether the token can also be the password of the scheme Basic, with any user name.
    static func token(
        in fields: [String], orPassword isPassword: Bool = false
    ) -> Result<[UInt8], Denial> {
        guard let field = fields.first else { return .failure(.missing) }
        guard fields.count == 1 else { return .failure(.malformed) }
        let parts = field.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard let scheme = parts.first else { return .failure(.missing) }
        let isBasic = isPassword && isScheme(scheme, "basic")
        guard isBasic || isScheme(scheme, "bearer") else { return .failure(.missing) }
        guard parts.count == 2 else { return .failure(.malformed) }
        var token = Array(parts[1].drop { $0 == UInt8(ascii: " ") })
        if isBasic {
            guard let text = Data(base64Encoded: Data(token)),
                let colon = text.firstIndex(of: UInt8(ascii: ":"))
            else { return .failure(.malformed) }
            token = Array(text[(colon + 1)...])
        }
        let characters = token.prefix { $0 != UInt8(ascii: "=") }
        guard !characters.isEmpty, token.count <= maximumBytes, characters.allSatisfy(isTokenByte),
            token.dropFirst(characters.count).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return .failure(.malformed) }
        return .success(token)
    }

    private static func isScheme(_ scheme: Substring.UTF8View, _ name: String) -> Bool {
        scheme.count == name.utf8.count && zip(scheme, name.utf8).allSatisfy { $0 | 0x20 == $1 }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
