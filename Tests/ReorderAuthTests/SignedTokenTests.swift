import Foundation
import ReorderCrypto
import SigningKeys
import Synchronization
import Testing

@testable import ReorderAuth

/// The tests' own keys, and tokens signed with them.
struct TestSigner: Sendable {
    static let secretBytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
    static let curve = Result { try SigningKey(.es256) }
    static let rsa = Result { try SigningKey(.rs256(bits: 2_048)) }
    static let time = Date(timeIntervalSince1970: 1_000_000)

    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// A key set with all three kinds of keys.
    static func keys(_ more: String...) throws -> String {
        let (x, y) = try curve.get().publicNumbers()
        let (n, e) = try rsa.get().publicNumbers()
        let keys = [
            #"{"kty":"oct","kid":"h","alg":"HS256","k":"\#(base64URL(secretBytes))"}"#,
            #"{"kty":"EC","kid":"e","crv":"P-256","use":"sig","x":"\#(base64URL(x))","y":"\#(base64URL(y))"}"#,
            #"{"kty":"RSA","kid":"r","key_ops":["verify"],"n":"\#(base64URL(n))","e":"\#(base64URL(e))"}"#,
        ]
        return #"{"keys":[\#((keys + more).joined(separator: ","))]}"#
    }

    static func token(
        _ algorithm: String, kid: String?, claims: String, header more: String = ""
    ) throws -> String {
        let kid = kid.map { #","kid":"\#($0)""# } ?? ""
        let header = #"{"alg":"\#(algorithm)","typ":"JWT"\#(kid)\#(more)}"#
        let signed = "\(base64URL(header.utf8)).\(base64URL(claims.utf8))"
        let signature: [UInt8]
        switch kid.isEmpty ? algorithm.first : kid.dropLast().last {
        case "h", "H":
            signature = SHA256.authenticationCode(of: Array(signed.utf8), secret: secretBytes)
        case "e", "E": signature = try curve.get().signature(of: Array(signed.utf8))
        default: signature = try rsa.get().signature(of: Array(signed.utf8))
        }
        return "\(signed).\(base64URL(signature))"
    }
}

@Suite struct SignedTokenTests {
    private static let claims = #"{"exp":1000000,"sub":"ann","scope":"openid reorderd:write"}"#

    private func control(
        _ set: String? = nil, _ checks: TokenChecks = TokenChecks(), at time: Date = TestSigner.time
    ) throws -> AccessControl {
        let keys = try JSONWebKeys(json: Data((set ?? TestSigner.keys()).utf8))
        return AccessControl(keys: keys, checks: checks, clock: { time })
    }

    private func answer(_ control: AccessControl, _ token: String) -> String {
        switch control.access(for: ["Bearer \(token)"]) {
        case .success(let token): "\(token.name) \(token.grants.all.last?.scope ?? .none)"
        case .failure(.unusable(let reason)): "unusable: \(reason)"
        case .failure(let denial): "\(denial)"
        }
    }

    @Test(arguments: [("HS256", "h"), ("ES256", "e"), ("RS256", "r")])
    func eachKindOfKeyVerifiesItsTokens(algorithm: String, kid: String) throws {
        let control = try control()
        for kid in [kid, nil] {
            let token = try TestSigner.token(algorithm, kid: kid, claims: Self.claims)
            // Verified, then cached.
            for _ in 1...2 { #expect(answer(control, token) == "ann write") }
            // Changing one character of any part invalidates the token.
            for place in token.indices where token[place] != "." && Int.random(in: 0..<8) == 0 {
                var other = token
                let changed = token[place] == "A" ? "B" : "A"
                other.replaceSubrange(place...place, with: changed)
                #expect(
                    answer(control, other) == "unknown",
                    "\(token.distance(from: token.startIndex, to: place))")
            }
        }
    }

    @Test func theKeyDeterminesTheAlgorithm() throws {
        let control = try control()
        for (algorithm, kid) in [
            ("none", "h"), ("None", "h"), ("HS256", "r"), ("HS256", "e"), ("RS256", "h"),
            ("ES256", "r"), ("HS384", "h"), ("RS512", "r"), ("PS256", "r"), ("ES384", "e"),
            ("HS256", "x"), ("hs256", "h"), ("", "h"),
        ] {
            let token = try TestSigner.token(algorithm, kid: kid, claims: Self.claims)
            #expect(answer(control, token) == "unknown", "\(algorithm) \(kid)")
        }
        // An RSA key's public numbers used as a secret.
        for isPEM in [true, false] {
            let secret = try TestSigner.rsa.get().publicKey(pem: isPEM)
            let parts = try TestSigner.token("HS256", kid: "r", claims: Self.claims)
                .split(separator: ".").prefix(2).joined(separator: ".")
            let code = SHA256.authenticationCode(of: Array(parts.utf8), secret: secret)
            #expect(answer(control, "\(parts).\(TestSigner.base64URL(code))") == "unknown")
        }
        // Without a signature.
        let token = try TestSigner.token("none", kid: nil, claims: Self.claims)
        let unsigned = token.split(separator: ".").prefix(2).joined(separator: ".")
        for text in [unsigned, unsigned + ".", unsigned + "..", "..", ".", "a.b.c"] {
            #expect(answer(control, text) == "unknown", "\(text)")
        }
    }

    @Test func criticalHeaderExtensionsAreRefused() throws {
        let control = try control()
        let token = try TestSigner.token(
            "HS256", kid: "h", claims: Self.claims, header: #","crit":["b64"],"b64":true"#)
        #expect(answer(control, token) == "unknown")
    }

    @Test func duplicateMembersAreRefused() throws {
        let control = try control()
        let twice = "A claim occurs twice."
        for claims in [
            #"{"exp":1000000,"exp":1}"#, #"{"exp":1,"exp":1000000}"#,
            #"{"exp":1000000,"lists":"a*","lists":"b"}"#,
            #"{"exp":1000000,"scope":"reorderd:admin","sub":"ann","sc\u006fpe":"reorderd:read"}"#,
        ] {
            let token = try TestSigner.token("HS256", kid: "h", claims: claims)
            #expect(answer(control, token) == "unusable: \(twice)", "\(claims)")
        }
        let token = try TestSigner.token(
            "HS256", kid: "h", claims: Self.claims, header: #","alg":"none""#)
        #expect(answer(control, token) == "unknown")
    }

    @Test func aTokenIsValidForItsTimeAndAMinuteMore() throws {
        func at(_ seconds: Double, _ claims: String) throws -> String {
            let token = try TestSigner.token("HS256", kid: "h", claims: claims)
            let time = Date(timeIntervalSince1970: seconds)
            return answer(try control(at: time), token)
        }
        let claims = #"{"exp":1000000,"nbf":999000,"sub":"ann","scope":"reorderd:read"}"#
        for (time, expected) in [
            (998_939.9, "notYetValid"), (998_940, "ann read"), (999_999, "ann read"),
            (1_000_059.9, "ann read"), (1_000_060, "expired"),
        ] {
            #expect(try at(time, claims) == expected, "\(time)")
        }
        let many = (1...101).map { "\"a\($0)\"" }.joined(separator: ",")
        for (claims, reason) in [
            (#"{"sub":"ann"}"#, #"The claims are not valid. The member "exp" is missing."#),
            (
                #"{"exp":"1000000"}"#,
                "The claims are not valid. /exp: Expected a number, found a string."
            ),
            (#"{"exp":null}"#, "The claims are not valid. /exp: Expected a number, found null."),
            ("[]", "The claims are not valid. Expected an object, found an array."),
            ("x", "The claims are not valid JSON. A value was expected, at byte 0."),
            (
                #"{"exp":1e400}"#,
                "The claims are not valid JSON. The number is too large for a double, at byte 7."
            ),
            (
                #"{"exp":1000000,"nbf":"x"}"#,
                "The claims are not valid. /nbf: Expected a number, found a string."
            ),
            (
                #"{"exp":1000000,"sub":1}"#,
                "The claims are not valid. /sub: Expected a string, found a number."
            ),
            (
                #"{"exp":1000000,"lists":[]}"#,
                "The claim lists is not valid. It has 0 patterns; 1 to 100 are allowed."
            ),
            (
                #"{"exp":1000000,"lists":[\#(many)]}"#,
                "The claim lists is not valid. It has 101 patterns; 1 to 100 are allowed."
            ),
            (
                #"{"exp":1000000,"lists":["b","a*b"]}"#,
                "The claim lists is not valid. Pattern 2 is neither a list's id nor a prefix followed by *."
            ),
            (
                #"{"exp":1000000,"lists":[1]}"#,
                "The claims are not valid. /lists/0: Expected a string, found a number."
            ),
            (
                #"{"exp":1000000,"aud":{}}"#,
                "The claims are not valid. /aud: Expected an array, found an object."
            ),
            (
                #"{"exp":1000000,"lists":null}"#,
                "The claims are not valid. /lists: Expected an array, found null."
            ),
            (
                #"{"exp":1000000,"aud":null}"#,
                "The claims are not valid. /aud: Expected an array, found null."
            ),
        ] {
            #expect(try at(999_999, claims) == "unusable: \(reason)", "\(claims)")
        }
    }

    @Test func aCachedTokenExpiresToo() throws {
        let time = Mutex(999_999.0)
        let keys = try JSONWebKeys(json: Data(TestSigner.keys().utf8))
        let control = AccessControl(
            keys: keys, clock: { Date(timeIntervalSince1970: time.withLock(\.self)) })
        let token = try TestSigner.token("ES256", kid: "e", claims: Self.claims)
        let grant = try control.access(for: ["Bearer \(token)"]).get()
        #expect(control.isInForce(grant))
        time.withLock { $0 = 1_000_060 }
        #expect(answer(control, token) == "expired")
        #expect(!control.isInForce(grant))
    }

    @Test func issuerAndAudienceMustMatch() throws {
        let (issuers, audiences) = (["https://a.example", "https://b.example"], ["lists"])
        for (claims, plain, checked) in [
            ("", "- none", "otherIssuer"),
            (#","iss":"https://b.example","aud":"lists""#, "otherAudience", "- none"),
            (#","iss":"https://b.example","aud":["x","lists"]"#, "otherAudience", "- none"),
            (#","iss":"https://b.example""#, "- none", "otherAudience"),
            (#","iss":"https://b.example","aud":"x""#, "otherAudience", "otherAudience"),
            (#","iss":"https://b.example","aud":[]"#, "otherAudience", "otherAudience"),
            (#","iss":"https://c.example","aud":"lists""#, "otherAudience", "otherIssuer"),
        ] {
            let token = try TestSigner.token(
                "HS256", kid: "h", claims: "{\"exp\":1000000\(claims)}")
            #expect(answer(try control(), token) == plain, "\(claims)")
            let checks = TokenChecks(issuers: issuers, audiences: audiences)
            #expect(answer(try control(nil, checks), token) == checked, "\(claims)")
        }
    }

    @Test func scopeAndListsAreReadFromClaims() throws {
        let control = try control()
        for (claims, scope, lists) in [
            ("", AccessScope.none, ListPatterns.all),
            (#","scope":"read write admin""#, .none, .all),
            (#","scope":"reorderd:read""#, .read, .all),
            (#","scope":"reorderd:admin reorderd:read x""#, .admin, .all),
            (#","scope":"reorderd:none reorderd:owner""#, .none, .all),
            (#","lists":"a*""#, .none, try #require(ListPatterns(["a*"]))),
            (#","lists":["a*","b"]"#, .none, try #require(ListPatterns(["b", "a*"]))),
        ] {
            let token = try TestSigner.token(
                "HS256", kid: "h", claims: "{\"exp\":1000000\(claims)}")
            let grant = try control.access(for: ["Bearer \(token)"]).get()
            #expect(grant.grants == Grants(scope, lists), "\(claims)")
        }
    }

    @Test func replacingTheKeysRevokesTokensOfRemovedOnes() throws {
        let control = try control()
        let tokens = try [("HS256", "h"), ("ES256", "e")].map {
            try TestSigner.token($0.0, kid: $0.1, claims: Self.claims)
        }
        let grants = try tokens.map { try control.access(for: ["Bearer \($0)"]).get() }
        let secret = TestSigner.base64URL(TestSigner.secretBytes)
        let rest = #"{"keys":[{"kty":"oct","kid":"h","k":"\#(secret)"}]}"#
        control.use(try JSONWebKeys(json: Data(rest.utf8)))
        #expect(tokens.map { answer(control, $0) } == ["ann write", "unknown"])
        #expect(grants.map { control.isInForce($0) } == [true, false])
    }

    @Test func fileTokensAndSignedTokensCoexist() throws {
        let table = try TokenTable(
            TokenLine(
                name: "phone", digest: TokenDigest(of: Array("a.b.c".utf8)),
                grants: [GrantForm(.read)]
            ).json)
        let keys = try JSONWebKeys(json: Data(TestSigner.keys().utf8))
        let control = AccessControl(tokens: table, keys: keys, clock: { TestSigner.time })
        #expect(answer(control, "a.b.c") == "phone read")
        let token = try TestSigner.token("HS256", kid: "h", claims: Self.claims)
        #expect(answer(control, token) == "ann write")
    }

    @Test func theCacheOfTokensIsBounded() throws {
        let control = try control()
        for number in 0..<SignedTokens.cacheCapacity + 10 {
            let claims = #"{"exp":1000000,"sub":"\#(number)"}"#
            let token = try TestSigner.token("HS256", kid: "h", claims: claims)
            #expect(answer(control, token) == "\(number) none")
            #expect(control.rememberedTokenCount == number % SignedTokens.cacheCapacity + 1)
        }
    }
}
