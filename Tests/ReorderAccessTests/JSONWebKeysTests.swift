import CryptoExtras
import Foundation
import Testing

@testable import ReorderAccess

@Suite struct JSONWebKeysTests {
    private func fault(_ set: String) async -> String? {
        do {
            _ = try await JSONWebKeys(json: Data(set.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    @Test func keysForSomethingElseAreLeftOut() async throws {
        let set = try TestSigner.keys(
            #"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#, #"{"kty":"EC","crv":"P-384","x":"AA"}"#,
            #"{"kty":"RSA","alg":"RSA-OAEP","n":"AA"}"#, #"{"kty":"RSA","use":"enc"}"#,
            #"{"kty":"EC","crv":"P-256","key_ops":["sign"]}"#, #"{"kty":"oct","alg":"HS512"}"#,
            #"{"kty":"new"}"#)
        let keys = try await JSONWebKeys(json: Data(set.utf8))
        #expect(keys.count == 3)
        #expect(keys.skippedCount == 7)
        #expect(keys.hasSecrets)
    }

    @Test func whoHasAPrivateKeyCanSign() async throws {
        let numbers = try TestSigner.rsa.get().publicKey.getKeyPrimitives()
        let modulus = TestSigner.base64URL(numbers.modulus)
        for (member, isSecret) in [("", false), (#","d":"AQAB""#, true)] {
            let set = #"{"keys":[{"kty":"RSA","n":"\#(modulus)","e":"AQAB"\#(member)}]}"#
            #expect(try await JSONWebKeys(json: Data(set.utf8)).hasSecrets == isSecret)
        }
    }

    @Test func whatIsNoKeySetIsRefused() async throws {
        for set in ["", "{}", "[]", "x", #"{"keys":{}}"#, #"{"keys":[{}]}"#] {
            #expect(await fault(set) == "it is no JSON Web Key Set", "\(set)")
        }
        for set in [#"{"keys":[]}"#, #"{"keys":[{"kty":"OKP"}]}"#] {
            #expect(await fault(set)?.contains("it has 0 keys") == true)
        }
    }

    @Test func asManyKeysAsThereMayBeAreTakenAndOneMoreIsNot() async {
        func set(_ count: Int) -> String {
            let secret = TestSigner.base64URL([UInt8](repeating: 7, count: 32))
            let keys = (0..<count).map { #"{"kty":"oct","kid":"\#($0)","k":"\#(secret)"}"# }
            return #"{"keys":[\#(keys.joined(separator: ","))]}"#
        }
        #expect(await fault(set(100)) == nil)
        #expect(await fault(set(101))?.contains("it has 101 keys") == true)
    }

    @Test func weakAndDamagedKeysAreRefusedWithTheirNumber() async throws {
        let weak = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1_024))
        let numbers = try weak.publicKey.getKeyPrimitives()
        let (n, e) = (
            TestSigner.base64URL(numbers.modulus), TestSigner.base64URL(numbers.publicExponent)
        )
        let short = TestSigner.base64URL([UInt8](repeating: 7, count: 31))
        for (key, reason) in [
            (#"{"kty":"oct","kid":"x","k":"\#(short)"}"#, "32 bytes or more"),
            (#"{"kty":"oct","kid":"x"}"#, "32 bytes or more"),
            (#"{"kty":"oct","kid":"x","k":"\#(short)=+"}"#, "32 bytes or more"),
            (#"{"kty":"RSA","kid":"x","n":"\#(n)","e":"\#(e)"}"#, "2,048 bits or more"),
            (#"{"kty":"RSA","kid":"x","n":"\#(n)"}"#, "2,048 bits or more"),
            (#"{"kty":"EC","kid":"x","crv":"P-256","x":"AA","y":"AA"}"#, "a point of P-256"),
            (#"{"kty":"EC","kid":"x","crv":"P-256","x":"\#(short)A","y":"\#(short)A"}"#, "a point"),
            (#"{"kty":"EC","kid":"x","crv":"P-256"}"#, "a point of P-256"),
        ] {
            let fault = await fault(try TestSigner.keys(key))
            #expect(fault?.hasPrefix("key 4: ") == true, "\(key)")
            #expect(fault?.contains(reason) == true, "\(key): \(fault ?? "taken")")
        }
    }

    @Test func twoKeysOfOneIdForOneAlgorithmAreRefused() async throws {
        let secret = TestSigner.base64URL([UInt8](repeating: 7, count: 32))
        let key = #"{"kty":"oct","kid":"h","k":"\#(secret)"}"#
        #expect(await fault(try TestSigner.keys(key))?.contains("HS256 already") == true)
        // For another algorithm it is another key.
        let other = #"{"kty":"oct","kid":"e","k":"\#(secret)"}"#
        #expect(await fault(try TestSigner.keys(other)) == nil)
    }

    @Test func base64URLIsReadStrictly() {
        for text in ["", "AA", "AAA", "AAAA", "-_-_", "Zm9v"] {
            #expect(Base64URL.decode(text.utf8).map { TestSigner.base64URL($0) } == text)
        }
        for text in ["A", "AA=", "AA==", "A+/A", "AB", "AAB", "AA A", "é"] {
            #expect(Base64URL.decode(text.utf8) == nil, "\(text)")
        }
    }
}
