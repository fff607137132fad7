/// Parses an `Authorization` field (RFC 6750, section 2.1).
enum BearerToken {
    /// The maximum length of a token, in bytes.
    static let maximumBytes = 8_192

    /// The token in the field's values, of which there must be exactly one.
    static func token(in fields: [String]) -> Result<[UInt8], Denial> {
        guard let field = fields.first else { return .failure(.missing) }
        guard fields.count == 1 else { return .failure(.malformed) }
        let parts = field.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard let scheme = parts.first, isBearer(scheme) else { return .failure(.missing) }
        guard parts.count == 2 else { return .failure(.malformed) }
        let token = parts[1].drop { $0 == UInt8(ascii: " ") }
        let characters = token.prefix { $0 != UInt8(ascii: "=") }
        guard !characters.isEmpty, token.count <= maximumBytes, characters.allSatisfy(isTokenByte),
            token.dropFirst(characters.count).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return .failure(.malformed) }
        return .success(Array(token))
    }

    private static func isBearer(_ scheme: Substring.UTF8View) -> Bool {
        scheme.count == 6 && zip(scheme, "bearer".utf8).allSatisfy { $0 | 0x20 == $1 }
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
