import Foundation
import SigningKeys
import Testing

@testable import ReorderAuth

@Suite struct JSONWebKeysTests {
    private func fault(_ set: String) -> String? {
        do {
            _ = try JSONWebKeys(json: Data(set.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    @Test func keysWithAnotherUseAreSkipped() throws {
        let set = try TestSigner.keys(
            #"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#, #"{"kty":"EC","crv":"P-384","x":"AA"}"#,
            #"{"kty":"RSA","alg":"RSA-OAEP","n":"AA"}"#, #"{"kty":"RSA","use":"enc"}"#,
            #"{"kty":"EC","crv":"P-256","key_ops":["sign"]}"#, #"{"kty":"oct","alg":"HS512"}"#,
            #"{"kty":"new"}"#)
        let keys = try JSONWebKeys(json: Data(set.utf8))
        #expect(keys.count == 3)
        #expect(keys.skippedCount == 7)
        #expect(keys.hasSecrets)
    }

    @Test func privateKeysAreReportedAsSecrets() throws {
        let modulus = TestSigner.base64URL(try TestSigner.rsa.get().publicNumbers().0)
        for (member, isSecret) in [("", false), (#","d":"AQAB""#, true)] {
            let set = #"{"keys":[{"kty":"RSA","n":"\#(modulus)","e":"AQAB"\#(member)}]}"#
            #expect(try JSONWebKeys(json: Data(set.utf8)).hasSecrets == isSecret)
        }
    }

    @Test func anInvalidKeySetIsRefused() throws {
        for set in ["", "{}", "[]", "x", #"{"keys":{}}"#, #"{"keys":[{}]}"#] {
            #expect(fault(set) == "it is not a JSON Web Key Set", "\(set)")
        }
        for set in [#"{"keys":[]}"#, #"{"keys":[{"kty":"OKP"}]}"#] {
            #expect(fault(set)?.contains("it has 0 keys") == true)
        }
    }

    @Test func theMaximumNumberOfKeysIsAcceptedAndOneMoreIsNot() {
        func set(_ count: Int) -> String {
            let secret = TestSigner.base64URL([UInt8](repeating: 7, count: 32))
            let keys = (0..<count).map { #"{"kty":"oct","kid":"\#($0)","k":"\#(secret)"}"# }
            return #"{"keys":[\#(keys.joined(separator: ","))]}"#
        }
        #expect(fault(set(100)) == nil)
        #expect(fault(set(101))?.contains("it has 101 keys") == true)
    }

    @Test func weakAndDamagedKeysAreRefusedWithTheirNumber() throws {
        let weak = try SigningKey(.rs256(bits: 1_024)).publicNumbers()
        let (n, e) = (TestSigner.base64URL(weak.0), TestSigner.base64URL(weak.1))
        let short = TestSigner.base64URL([UInt8](repeating: 7, count: 31))
        for (key, reason) in [
            (#"{"kty":"oct","kid":"x","k":"\#(short)"}"#, "32 bytes or more"),
            (#"{"kty":"oct","kid":"x"}"#, "32 bytes or more"),
            (#"{"kty":"oct","kid":"x","k":"\#(short)=+"}"#, "32 bytes or more"),
            (#"{"kty":"RSA","kid":"x","n":"\#(n)","e":"\#(e)"}"#, "2,048 to 8,192 bits"),
            (#"{"kty":"RSA","kid":"x","n":"\#(n)"}"#, "2,048 to 8,192 bits"),
            (#"{"kty":"EC","kid":"x","crv":"P-256","x":"AA","y":"AA"}"#, "a point of P-256"),
            (#"{"kty":"EC","kid":"x","crv":"P-256","x":"\#(short)A","y":"\#(short)A"}"#, "a point"),
            (#"{"kty":"EC","kid":"x","crv":"P-256"}"#, "a point of P-256"),
        ] {
            let fault = fault(try TestSigner.keys(key))
            #expect(fault?.hasPrefix("key 4: ") == true, "\(key)")
            #expect(fault?.contains(reason) == true, "\(key): \(fault ?? "taken")")
        }
    }

    /// Some issuers write numbers this way, and their keys are accepted.
    @Test func publicNumbersMayBeInPlainBase64() throws {
        let (x, y) = try SigningKey(.es256).publicNumbers()
        let (n, e) = try TestSigner.rsa.get().publicNumbers()
        func plain(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
        for modulus in [n, [0] + n] {
            let set = """
                {"keys":[{"kty":"EC","crv":"P-256","x":"\(plain(x))","y":"\(plain(y))"},
                {"kty":"RSA","n":"\(plain(modulus))","e":"\(plain(e))"}]}
                """
            #expect(fault(set) == nil)
        }
        #expect(fault(#"{"keys":[{"kty":"RSA","n":"*","e":"AQAB"}]}"#)?.contains("n and e") == true)
    }

    @Test func twoKeysWithTheSameIdAndAlgorithmAreRefused() throws {
        let secret = TestSigner.base64URL([UInt8](repeating: 7, count: 32))
        let key = #"{"kty":"oct","kid":"h","k":"\#(secret)"}"#
        #expect(fault(try TestSigner.keys(key))?.contains("the same kid for HS256") == true)
        // For another algorithm it is a different key.
        let other = #"{"kty":"oct","kid":"e","k":"\#(secret)"}"#
        #expect(fault(try TestSigner.keys(other)) == nil)
    }

    @Test func base64URLIsParsedStrictly() {
        for text in ["", "AA", "AAA", "AAAA", "-_-_", "Zm9v"] {
            #expect(Base64URL.decode(text.utf8).map { TestSigner.base64URL($0) } == text)
        }
        for text in ["A", "AA=", "AA==", "A+/A", "AB", "AAB", "AA A", "é"] {
            #expect(Base64URL.decode(text.utf8) == nil, "\(text)")
        }
    }
}
