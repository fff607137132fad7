import CGnuTLS

/// SHA-256 (FIPS 180-4), and HMAC with SHA-256 (RFC 2104).
package enum SHA256 {
    package static let byteCount = 32

    /// The digest of the bytes, 32 bytes long. Complexity: O(bytes).
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        let code = gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, bytes.count, &digest)
        // GnuTLS fails only if memory is exhausted, or if it was built without SHA-256, which TLS
        // needs too. The process must stop, because a wrong digest would make different tokens
        // equal.
        precondition(code == 0, "GnuTLS cannot compute a SHA-256 digest")
        return digest
    }

    /// The HMAC of the bytes, 32 bytes long. Complexity: O(bytes).
    package static func authenticationCode(of bytes: [UInt8], secret: [UInt8]) -> [UInt8] {
        var authenticationCode = [UInt8](repeating: 0, count: byteCount)
        let code = gnutls_hmac_fast(
            GNUTLS_MAC_SHA256, secret, secret.count, bytes, bytes.count, &authenticationCode)
        precondition(code == 0, "GnuTLS cannot compute an HMAC")
        return authenticationCode
    }
}
