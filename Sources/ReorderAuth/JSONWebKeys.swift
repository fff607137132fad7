import Foundation
import ReorderCrypto

/// The keys that verify signed tokens (RFC 7517), each for one algorithm: HS256, ES256 or RS256.
package struct JSONWebKeys: Sendable {
    struct Key: Sendable {
        let id: String?
        /// The key's algorithm. A token's header can't choose another.
        let algorithm: String
        let verification: VerificationKey
        /// The digest of everything that defines the key.
        let fingerprint: TokenDigest
        let source: TokenAccess.Source
    }

    private let keys: [Key]
    /// The number of keys that were skipped because they have another use.
    package let skippedCount: Int
    /// Whether the file contains keys that can sign tokens.
    package let hasSecrets: Bool

    package static let maximumCount = 100

    package struct FormatError: Error, CustomStringConvertible {
        package var description: String
    }

    private init(keys: [Key], skippedCount: Int, hasSecrets: Bool) {
        self.keys = keys
        self.skippedCount = skippedCount
        self.hasSecrets = hasSecrets
    }

    /// Reads a key set. Keys with another use or algorithm are skipped (RFC 7517, section 5); a
    /// weak or damaged key of a supported algorithm makes the whole set invalid.
    package init(json: Data) throws(FormatError) {
        let set: KeySetDocument
        do {
            set = try JSONDecoder().decode(KeySetDocument.self, from: json)
        } catch {
            throw FormatError(description: "it is not a JSON Web Key Set")
        }
        var keys: [Key] = []
        var hasSecrets = false
        for (index, document) in set.keys.enumerated() {
            guard let form = document.form else { continue }
            guard let verification = form.verification else {
                throw FormatError(description: "key \(index + 1): \(form.rule)")
            }
            let isTaken = keys.contains {
                $0.id == document.kid && $0.algorithm == form.algorithm
            }
            guard !isTaken else {
                throw FormatError(
                    description: "key \(index + 1): another key has the same kid for "
                        + "\(form.algorithm)")
            }
            if document.isSecret { hasSecrets = true }
            keys.append(
                Key(
                    id: document.kid, algorithm: form.algorithm, verification: verification,
                    fingerprint: document.fingerprint,
                    source: TokenAccess.Source(id: document.fingerprint)))
        }
        guard !keys.isEmpty, keys.count <= Self.maximumCount else {
            throw FormatError(
                description: "it has \(keys.count) keys for HS256, ES256 or RS256; there must be 1 "
                    + "to \(Self.maximumCount)")
        }
        self.init(
            keys: keys, skippedCount: set.keys.count - keys.count, hasSecrets: hasSecrets)
    }

    package var count: Int { keys.count }

    /// The fingerprints of all keys, and the sources of the access that they give.
    var sources: [(TokenDigest, TokenAccess.Source)] { keys.map { ($0.fingerprint, $0.source) } }

    /// The key named by a token's header. If the header has no `kid`, there must be exactly one key
    /// for the algorithm, because keys are not tried one after the other.
    func key(_ id: String?, algorithm: String) -> Key? {
        let fitting = keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
        return fitting.count == 1 ? fitting.first : nil
    }

    /// Replaces older keys: the access of keys in both sets stays valid, the other is revoked.
    func replacing(_ older: JSONWebKeys?) -> JSONWebKeys {
        var known: [TokenDigest: Key] = [:]
        for key in older?.keys ?? [] { known[key.fingerprint] = key }
        let merged = keys.map { known.removeValue(forKey: $0.fingerprint) ?? $0 }
        for key in known.values { key.source.end() }
        return JSONWebKeys(keys: merged, skippedCount: skippedCount, hasSecrets: hasSecrets)
    }
}
