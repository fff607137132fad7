import Foundation
import ReorderCrypto

/// The keys by which signed tokens are known (RFC 7517), each for one algorithm: HS256, ES256, RS256.
package struct JSONWebKeys: Sendable {
    struct Key: Sendable {
        let id: String?
        /// The one algorithm that the key is for. What a token's header says does not choose it.
        let algorithm: String
        let verification: VerificationKey
        /// Of everything that makes the key this one.
        let fingerprint: TokenDigest
        let source: Grant.Source
    }

    private let keys: [Key]
    /// How many keys of the file are for something else, and were left out.
    package let skippedCount: Int
    /// Whether who reads the file can sign tokens.
    package let hasSecrets: Bool

    package static let maximumCount = 100

    package struct Fault: Error, CustomStringConvertible {
        package var description: String
    }

    private init(keys: [Key], skippedCount: Int, hasSecrets: Bool) {
        self.keys = keys
        self.skippedCount = skippedCount
        self.hasSecrets = hasSecrets
    }

    /// Reads a key set. Keys that are for something else than signing with these algorithms are left out
    /// (RFC 7517, section 5); one that is for it, and weak or damaged, makes the whole set unusable.
    package init(json: Data) throws(Fault) {
        let set: KeySetDocument
        do {
            set = try JSONDecoder().decode(KeySetDocument.self, from: json)
        } catch {
            throw Fault(description: "it is no JSON Web Key Set")
        }
        var keys: [Key] = []
        var hasSecrets = false
        for (index, document) in set.keys.enumerated() {
            guard let form = document.form else { continue }
            guard let verification = form.verification else {
                throw Fault(description: "key \(index + 1): \(form.rule)")
            }
            let isTaken = keys.contains {
                $0.id == document.kid && $0.algorithm == form.algorithm
            }
            guard !isTaken else {
                throw Fault(
                    description: "key \(index + 1): there is one of this kid for "
                        + "\(form.algorithm) already")
            }
            if document.isSecret { hasSecrets = true }
            keys.append(
                Key(
                    id: document.kid, algorithm: form.algorithm, verification: verification,
                    fingerprint: document.fingerprint, source: Grant.Source()))
        }
        guard !keys.isEmpty, keys.count <= Self.maximumCount else {
            throw Fault(
                description: "it has \(keys.count) keys for HS256, ES256 or RS256; there must be 1 "
                    + "to \(Self.maximumCount)")
        }
        self.init(
            keys: keys, skippedCount: set.keys.count - keys.count, hasSecrets: hasSecrets)
    }

    package var count: Int { keys.count }

    /// The key that a token's header names. Without a `kid` there must be one alone for the algorithm:
    /// keys are not tried one after the other.
    func key(_ id: String?, algorithm: String) -> Key? {
        let fitting = keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
        return fitting.count == 1 ? fitting.first : nil
    }

    /// These keys in place of older ones: what was signed by a key that is in both goes on, the rest is
    /// over.
    func replacing(_ older: JSONWebKeys?) -> JSONWebKeys {
        var known: [TokenDigest: Key] = [:]
        for key in older?.keys ?? [] { known[key.fingerprint] = key }
        let merged = keys.map { known.removeValue(forKey: $0.fingerprint) ?? $0 }
        for key in known.values { key.source.end() }
        return JSONWebKeys(keys: merged, skippedCount: skippedCount, hasSecrets: hasSecrets)
    }
}
