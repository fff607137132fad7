import Foundation
import ReorderAuth
import ReorderCrypto
import SigningKeys

/// Sends credentials to a server that knows one token and a key of each kind.
///
/// The bytes are the values of `Authorization` fields, one on each line. If they begin with `h`,
/// `e` or `r` and a space, they are a token's header and, on the next lines, its claims, which are
/// signed with that key.
final class SentTokens: Sendable {
    static let shared = SentTokens()

    private static let knownToken = "known"
    private static let time = Date(timeIntervalSince1970: 1_000_000)

    private let control: AccessControl?
    private let secret = Array("a secret of the fuzzers, 32 bytes".utf8)
    private let curve = try? SigningKey(.es256)
    private let rsa = try? SigningKey(.rs256(bits: 2_048))

    private init() {
        let digest = TokenDigest(of: Array(Self.knownToken.utf8)).hexadecimal
        let table = try? TokenTable(#"{"name":"known","sha256":"\#(digest)","scope":"read"}"#)
        let set = Self.keySet(secret, curve, rsa)
        guard let table, let keys = try? JSONWebKeys(json: Data(set.utf8))
        else {
            control = nil
            return
        }
        control = AccessControl(tokens: table, keys: keys, clock: { Self.time })
    }

    func fault(in bytes: [UInt8]) -> String? {
        guard let control else { return "the keys could not be generated" }
        guard let signed = SignedParts(bytes) else { return fieldFault(in: bytes, control) }
        guard let token = token(of: signed) else { return "signing failed" }
        let first = control.access(for: ["Bearer \(token)"])
        guard case .success(let access) = first else {
            return isDenied(first, control, token) ? nil : "it is denied once, and then not"
        }
        guard case .success(let again) = control.access(for: ["bearer  \(token)"]), again === access
        else { return "the same token gets different access the second time" }
        guard control.isInForce(access) else { return "expired access is used" }
        guard isOneLine(access.name) else { return "a name does not fit on a line of a log" }
        return signed.fault(in: access.grants, at: Self.time)
    }

    private func isDenied(
        _ result: Result<TokenAccess, Denial>, _ control: AccessControl, _ token: String
    ) -> Bool {
        guard case .failure(let denial) = result,
            case .failure(denial) = control.access(for: ["Bearer \(token)"])
        else { return false }
        return true
    }

    /// Only the known token and tokens signed with the secret, which the corpus can contain, may be
    /// accepted.
    private func fieldFault(in bytes: [UInt8], _ control: AccessControl) -> String? {
        let fields = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard case .success = control.access(for: fields) else { return nil }
        guard fields.count == 1 else { return "several Authorization fields are accepted" }
        let token = fields[0].utf8.split(separator: 0x20).last.map { String(Substring($0)) } ?? ""
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isSigned = parts.count == 3 && signature("\(parts[0]).\(parts[1])", "h") == parts[2]
        return token == Self.knownToken || isSigned ? nil : "an unknown token is accepted"
    }

    // MARK: Making tokens

    private func token(of parts: SignedParts) -> String? {
        let signed = "\(base64URL(parts.header)).\(base64URL(parts.claims))"
        return signature(signed, parts.key).map { "\(signed).\($0)" }
    }

    private func signature(_ signed: String, _ key: Character) -> String? {
        let text = Array(signed.utf8)
        let bytes: [UInt8]? =
            switch key {
            case "h": SHA256.authenticationCode(of: text, secret: secret)
            case "e": try? curve?.signature(of: text)
            default: try? rsa?.signature(of: text)
            }
        return bytes.map { base64URL($0) }
    }

    private static func keySet(
        _ secret: [UInt8], _ curve: SigningKey?, _ rsa: SigningKey?
    ) -> String {
        let (x, y) = (try? curve?.publicNumbers()) ?? ([], [])
        let (n, e) = (try? rsa?.publicNumbers()) ?? ([], [])
        return """
            {"keys":[{"kty":"oct","kid":"h","alg":"HS256","k":"\(base64URL(secret))"},
            {"kty":"EC","kid":"e","crv":"P-256","use":"sig","x":"\(base64URL(x))",
            "y":"\(base64URL(y))"},
            {"kty":"RSA","kid":"r","key_ops":["verify"],"n":"\(base64URL(n))",
            "e":"\(base64URL(e))"}]}
            """
    }
}

private func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
}
