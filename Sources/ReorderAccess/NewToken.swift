/// A token that nobody has had before.
package struct NewToken: Sendable {
    /// By which people and programs that look for secrets recognise one.
    package static let prefix = "rdr_"

    /// The token itself: to be given away once, and kept nowhere.
    package let text: String

    /// 256 bits from the system's generator.
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
