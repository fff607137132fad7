import Foundation
import ReorderCrypto
import SigningKeys
import Testing

@Suite struct VerificationKeyTests {
    private let text = Array("a.b".utf8)

    @Test func theSignatureOfRFC7515IsValid() throws {
        let key = try #require(
            VerificationKey(
                x: bytes("7fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445"),
                y: bytes("c7f144cd1bbd9b7e872cdfedb9eeb9f4b3695d6ea90b24ad8a4623288588e5ad")))
        let signed = """
            eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt\
            cGxlLmNvbS9pc19yb290Ijp0cnVlfQ
            """
        var signature = bytes(
            "0ed1215379636c483c2f7f155807d402a3b228033af97c7e17819ac3169ea665"
                + "c50a07d38c3c70e5d8f12daf084a5480a66590c5f293509a8f3f7f8a83a354d5")
        #expect(key.isValid(signature, for: Array(signed.utf8)))
        signature[0] ^= 1
        #expect(!key.isValid(signature, for: Array(signed.utf8)))
    }

    @Test func aSignatureOfOpenSSLIsValid() throws {
        let modulus = bytes(Self.modulus)
        let exponent: [UInt8] = [1, 0, 1]
        let signature = bytes(Self.signature)
        let key = try #require(VerificationKey(modulus: modulus, exponent: exponent))
        #expect(key.isValid(signature, for: text))
        #expect(!key.isValid(signature, for: text + [0]))
        #expect(!key.isValid([0] + signature, for: text))
        #expect(!key.isValid(Array(signature.dropFirst()), for: text))
        // Leading zeros do not change a number.
        let padded = try #require(
            VerificationKey(modulus: [0] + modulus, exponent: [0, 0] + exponent))
        #expect(padded.isValid(signature, for: text))
    }

    @Test func shortNumbersInASignatureAreAccepted() throws {
        let signer = try SigningKey(.es256)
        let (x, y) = try signer.publicNumbers()
        let key = try #require(VerificationKey(x: x, y: y))
        var isFound = (r: false, s: false)
        // One number in 256 begins with a zero byte, and one in two has its highest bit set.
        for number in 0..<10_000 where !isFound.r || !isFound.s {
            let text = Array("\(number)".utf8)
            let signature = try signer.signature(of: text)
            guard key.isValid(signature, for: text) else {
                Issue.record("\(signature) of \(number) by \(x), \(y)")
                return
            }
            if signature[0] == 0 { isFound.r = true }
            if signature[32] == 0 { isFound.s = true }
        }
        #expect(isFound.r && isFound.s)
    }

    @Test func outOfRangeSignaturesAreInvalid() throws {
        let signer = try SigningKey(.es256)
        let (x, y) = try signer.publicNumbers()
        let key = try #require(VerificationKey(x: x, y: y))
        let signature = try signer.signature(of: text)
        let zero = [UInt8](repeating: 0, count: 32)
        let order = bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        for other in [
            [], zero + zero, zero + s, r + zero, order + s, r + order, s + r, r, signature + [0],
            [0] + signature, Array(signature.dropLast()), [0] + r + [0] + s,
        ] {
            #expect(!key.isValid(other, for: text), "\(other)")
        }
        #expect(key.isValid(signature, for: text))
        #expect(!key.isValid(signature, for: []))
    }

    @Test func truncatedCodesAreInvalid() throws {
        let secret = [UInt8](repeating: 7, count: 32)
        let key = try #require(VerificationKey(secret: secret))
        let code = SHA256.authenticationCode(of: text, secret: secret)
        #expect(key.isValid(code, for: text))
        for other in [[], Array(code.dropLast()), code + [0], code.reversed()] {
            #expect(!key.isValid(other, for: text))
        }
        #expect(VerificationKey(secret: Array(secret.dropLast())) == nil)
    }

    @Test func pointsOutsideTheCurveAreRefused() throws {
        let (x, y) = try SigningKey(.es256).publicNumbers()
        #expect(VerificationKey(x: x, y: y) != nil)
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 255, count: 32)
        for (x, y) in [
            (y, x), (x, x), (zero, zero), (zero, y), (x, most), (most, y), (x, [0] + y),
            ([0] + x, y), (Array(x.dropLast()), y), (x, []), ([], y),
            (Array(x.dropLast()), [x.last ?? 0] + y),
        ] {
            #expect(VerificationKey(x: x, y: y) == nil, "\(x) \(y)")
        }
    }

    @Test(arguments: [
        (2_047, false), (2_048, true), (2_049, true), (4_096, true), (8_192, true), (8_193, false),
    ])
    func theBitsOfAnRSAKeyAreLimited(bits: Int, isTaken: Bool) {
        let key = VerificationKey(modulus: odd(bits), exponent: [1, 0, 1])
        #expect((key != nil) == isTaken)
    }

    @Test func invalidRSANumbersAreRefused() {
        #expect(VerificationKey(modulus: odd(2_048), exponent: [3]) != nil)
        #expect(VerificationKey(modulus: odd(2_048), exponent: odd(33)) != nil)
        for exponent in [[], [0], [1], [2], [1, 0, 0], odd(34), odd(2_048)] {
            #expect(VerificationKey(modulus: odd(2_048), exponent: exponent) == nil)
        }
        let even = Array(odd(2_048).dropLast()) + [2]
        for modulus in [[], [0], [0, 0, 0], even] {
            #expect(VerificationKey(modulus: modulus, exponent: [1, 0, 1]) == nil)
        }
    }

    /// The odd number with this many bits whose first and last bits are set, and no others.
    private func odd(_ bits: Int) -> [UInt8] {
        var number = [UInt8](repeating: 0, count: (bits + 7) / 8)
        number[0] = 1 << UInt8((bits - 1) % 8)
        number[number.count - 1] |= 1
        return number
    }

    /// `openssl dgst -sha256 -sign` of `text`, with a key of `openssl genrsa 2048`.
    private static let modulus = """
        e23707a6b7e636ff5f2dcd38d6e527ce89135c7feeb3e9c1daed84ac5993ab51a4f1a67285152b22ed49178c\
        cd2c60b2e8c01477515a6eb65722d392379c73e6a45c8a374808121dac4f4c6bd1d061ac01f33de81e107642\
        9f9fdd4eefab185b7279df9ad2086f0a45657468e492b0875e4b5c268ebba99c6846f5dbf0117ca229023c2e\
        54cc22a1c23ea3e984f310bd991f09fefdfa183b587a23b3b53766fabf59737cc4705edf9fa779ea773b3c1a\
        cce50fc54e8e9adfac23db6452304a0099ecdc4da1a0afdc4f9db83a9ca806f97541e73f8092ab85f6697799\
        5731efd356ff40362c9b81e5baed7b4093bfe40b6f7499e8ab0e78e4f138255069294843
        """
    private static let signature = """
        766338d5fef6802a71625145afb53cfc771b5ff1eb29139db7d1c1914209e333be736932a624a2ffe5bdca40\
        658e1ab49db1bcfec4939969567e69e0ced6a44ca69cf6db296753ee6959a7279060a96000b121c3453f3eb8\
        0aac7cfd223dc53529c5f2c0151bd74b595814323e672d121c803cbd7cfb520396242826b60ad121e2b288e4\
        7cd61dd39897721dba6f9e2a849dda734bfd5f5d019d7f2fa24731ee770b39da065ed5a856c424d4b17da7bf\
        62f21011d40fd5efb0803715efb4657a2e604946a711486893f797b74e6ae11638128634bcab3fd82aadb03c\
        7a46b96adc0c3c0a0a326be1429a0938fc54ff7a2c6b8c8b7227e250139f29448758d179
        """
}

func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
