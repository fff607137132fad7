/// A new random token.
package struct NewToken: Sendable {
    /// The prefix by which people and secret scanners recognize tokens.
    package static let prefix = "rdr_"

    /// The token itself. It is given to the client once and not stored.
    package let text: String

    /// Creates a token with 256 bits from the system's generator.
    package init() {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<4).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        text = Self.prefix + digits.joined()
    }

    package var digest: TokenDigest { TokenDigest(of: Array(text.utf8)) }
}
