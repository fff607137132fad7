import ReorderCrypto

/// The SHA-256 of a token, which is stored instead of the token.
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

    /// Parses 64 hexadecimal digits.
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

    /// The index of a digest among others, which are all different.
    ///
    /// It compares with all of them, completely and without branches, so the duration does not
    /// reveal which digest is equal, or how much of a digest is equal. Complexity: O(number).
    static func place(of digest: TokenDigest, among digests: some Sequence<TokenDigest>) -> Int? {
        var found = 0
        var number = 1
        for other in digests {
            let difference = digest.words ^ other.words
            let bits = difference[0] | difference[1] | difference[2] | difference[3]
            // The top bit of a number or of its negative is set unless the number is zero.
            let isDifferent = (bits | (0 &- bits)) >> 63
            found |= number & (Int(truncatingIfNeeded: isDifferent) &- 1)
            number += 1
        }
        return found == 0 ? nil : found - 1
    }
}
