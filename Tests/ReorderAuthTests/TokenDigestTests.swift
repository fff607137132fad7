import Testing

@testable import ReorderAuth

@Suite struct TokenDigestTests {
    @Test func theDigestIsTheSHA256InHexadecimal() {
        let digest = TokenDigest(of: Array("abc".utf8))
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(digest.hexadecimal == known)
        #expect(TokenDigest(hexadecimal: known) == digest)
        #expect(TokenDigest(hexadecimal: known.uppercased()) == digest)
        for wrong in ["", String(known.dropLast()), known + "0", "g" + known.dropFirst()] {
            #expect(TokenDigest(hexadecimal: wrong) == nil, "\(wrong)")
        }
    }

    /// Counts how many of its digests are read.
    private final class Counted: Sequence, IteratorProtocol {
        private var rest: [TokenDigest]
        private(set) var taken = 0

        init(_ digests: [TokenDigest]) { rest = digests.reversed() }

        func next() -> TokenDigest? {
            guard let digest = rest.popLast() else { return nil }
            taken += 1
            return digest
        }
    }

    @Test func allDigestsAreComparedWhicheverMatches() {
        let digests = (0..<50).map { TokenDigest(of: Array("\($0)".utf8)) }
        for (place, digest) in digests.enumerated() {
            let counted = Counted(digests)
            #expect(TokenDigest.place(of: digest, among: counted) == place)
            #expect(counted.taken == digests.count)
        }
        let counted = Counted(digests)
        #expect(TokenDigest.place(of: TokenDigest(of: []), among: counted) == nil)
        #expect(counted.taken == digests.count)
    }

    @Test func digestsThatDifferInOneBitAreDifferent() {
        let zero = String(repeating: "0", count: 64)
        guard let digest = TokenDigest(hexadecimal: zero) else { return #expect(Bool(false)) }
        for digit in 0..<64 {
            for bit in ["1", "2", "4", "8"] {
                var text = Array(zero)
                text[digit] = Character(bit)
                let other = TokenDigest(hexadecimal: String(text))
                #expect(TokenDigest.place(of: digest, among: [other].compactMap(\.self)) == nil)
            }
        }
        #expect(TokenDigest.place(of: digest, among: [digest]) == 0)
    }

    @Test func newTokensAreLongRecognizableAndDifferent() {
        let tokens = (0..<100).map { _ in NewToken() }
        #expect(Set(tokens.map(\.text)).count == 100)
        for token in tokens {
            #expect(token.text.wholeMatch(of: /rdr_[0-9a-f]{64}/) != nil)
            #expect(token.digest == TokenDigest(of: Array(token.text.utf8)))
        }
    }
}
