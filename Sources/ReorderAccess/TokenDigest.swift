import ReorderCrypto

/// The SHA-256 of a token: what is kept of it, and what it is known again by.
package struct TokenDigest: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    package init(of token: [UInt8]) {
        self.init(bytes: SHA256.digest(of: token))
    }

    private init(bytes: [UInt8]) {
        var words = SIMD4<UInt64>()
        for (index, byte) in bytes.prefix(32).enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// From 64 hexadecimal digits.
    package init?(hexadecimal: String) {
        let digits = hexadecimal.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, hexadecimal.utf8.count == 64 else { return nil }
        self.init(
            bytes: (0..<32).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) })
    }

    package var hexadecimal: String {
        (0..<4).map { index in
            let digits = String(words[index], radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Its place among others, no two of which are the same.
    ///
    /// All of them are looked at, each as a whole, and nothing is decided on the way: how long it takes
    /// tells neither whether one is the same nor which, nor how much of any is. Complexity: O(number).
    static func place(of digest: TokenDigest, among digests: some Sequence<TokenDigest>) -> Int? {
        var found = 0
        var number = 1
        for other in digests {
            let difference = digest.words ^ other.words
            let bits = difference[0] | difference[1] | difference[2] | difference[3]
            // The top bit of a number or of its negative is set unless it is zero.
            let isDifferent = (bits | (0 &- bits)) >> 63
            found |= number & (Int(truncatingIfNeeded: isDifferent) &- 1)
            number += 1
        }
        return found == 0 ? nil : found - 1
    }
}
