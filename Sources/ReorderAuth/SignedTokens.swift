import Foundation
import ReorderJSON
import Synchronization

/// Verifies signed tokens (JWT, RFC 7519) and derives access from their claims.
///
/// Verifying a signature takes tens of microseconds, so valid tokens are cached by their digests.
final class SignedTokens: Sendable {
    let keys: JSONWebKeys
    private let checks: TokenChecks
    private let verified = Mutex<[TokenDigest: TokenAccess]>([:])

    static let cacheCapacity = 4_096

    init(_ keys: JSONWebKeys, _ checks: TokenChecks) {
        self.keys = keys
        self.checks = checks
    }

    var rememberedTokenCount: Int { verified.withLock { $0.count } }

    /// Replaces the keys, with an empty cache.
    func replacing(_ keys: JSONWebKeys) -> SignedTokens {
        SignedTokens(keys.replacing(self.keys), checks)
    }

    func access(
        for token: [UInt8], digest: TokenDigest, at time: Date
    ) -> Result<TokenAccess, Denial> {
        if let access = verified.withLock({ $0[digest] }) {
            return access.isInForce(at: time) ? .success(access) : .failure(.expired)
        }
        let result = verify(token, at: time)
        if case .success(let access) = result {
            verified.withLock { verified in
                if verified.count == Self.cacheCapacity {
                    verified.removeAll(keepingCapacity: true)
                }
                verified[digest] = access
            }
        }
        return result
    }

    /// The header selects a key by `kid` among the keys for its `alg`. The signature is verified
    /// with the key's own algorithm, not with `alg`. Claims are read only after that.
    private func verify(_ token: [UInt8], at time: Date) -> Result<TokenAccess, Denial> {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return .failure(.unknown) }
        guard let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            let fields = try? TokenHeader(json: header),
            // No critical extension is supported.
            !fields.hasCritical,
            let key = keys.key(fields.kid, algorithm: fields.alg)
        else { return .failure(.unknown) }
        let signed = token.prefix(parts[0].count + 1 + parts[1].count)
        guard key.verification.isValid(signature, for: Array(signed)) else {
            return .failure(.unknown)
        }
        do {
            let claims = try TokenClaims(json: payload)
            return checks.access(claims, source: key.source, at: time)
        } catch {
            return .failure(.unusable(reason: error.reason))
        }
    }

    private struct TokenHeader {
        var alg = ""
        var kid: String?
        var hasCritical = false

        init(json: [UInt8]) throws {
            var reader = JSONReader(try JSONText(credential: json))
            try reader.beginObject()
            while let name = reader.nextMember() {
                switch name {
                case "alg": alg = try reader.readString()
                case "kid": kid = try reader.readStringOrNull()
                case "crit": hasCritical = true
                default: break
                }
            }
        }
    }
}
