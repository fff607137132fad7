import CGnuTLS

/// A key that verifies signatures of one algorithm, with GnuTLS.
///
/// It stores only numbers. GnuTLS's objects must not be used by several threads at once, so each
/// verification creates its own object. That takes about a hundredth of the verification's time.
package struct VerificationKey: Sendable {
    private enum Numbers {
        case secret([UInt8])
        case point(x: [UInt8], y: [UInt8])
        case rsa(modulus: [UInt8], exponent: [UInt8])
    }

    private let numbers: Numbers

    /// The minimum length of a secret: that of a SHA-256 digest (RFC 7518, section 3.2).
    package static let minimumSecretByteCount = 32
    /// The allowed bits of an RSA modulus (the minimum is from RFC 7518, section 3.3).
    package static let modulusBitCounts = 2_048...8_192
    /// The maximum bits of an RSA exponent: longer ones only make verification slow.
    package static let maximumExponentBitCount = 33

    /// HMAC with SHA-256; nil if the secret is too short.
    package init?(secret: [UInt8]) {
        guard secret.count >= Self.minimumSecretByteCount else { return nil }
        numbers = .secret(secret)
    }

    /// ECDSA with SHA-256 on P-256; nil unless both coordinates have 32 bytes and are those of a
    /// point on the curve.
    package init?(x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32 else { return nil }
        numbers = .point(x: x, y: y)
        guard (withPublicKey { gnutls_pubkey_verify_params($0) } ?? -1) == 0 else { return nil }
    }

    /// RSA, PKCS #1 version 1.5, with SHA-256; nil if the modulus is too short or too long, or the
    /// numbers can't be those of an RSA key.
    package init?(modulus: [UInt8], exponent: [UInt8]) {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        let exponentBits = Self.bitCount(exponent)
        guard Self.modulusBitCounts.contains(Self.bitCount(modulus)), Self.isOdd(modulus),
            (2...Self.maximumExponentBitCount).contains(exponentBits), Self.isOdd(exponent)
        else { return nil }
        numbers = .rsa(modulus: modulus, exponent: exponent)
        guard withPublicKey({ _ in true }) == true else { return nil }
    }

    /// Whether the signature of these bytes is valid.
    ///
    /// For a secret key, the duration does not depend on how much of the code is correct.
    package func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        switch numbers {
        case .secret(let secret):
            let code = SHA256.authenticationCode(of: bytes, secret: secret)
            return signature.count == code.count
                && gnutls_memcmp(signature, code, code.count) == 0
        case .point:
            // r and s, 32 bytes each (RFC 7518, section 3.4). GnuTLS expects them in ASN.1.
            guard signature.count == 64 else { return false }
            return withDatum(Array(signature[..<32])) { r in
                withDatum(Array(signature[32...])) { s in
                    var encoded = gnutls_datum_t()
                    guard gnutls_encode_rs_value(&encoded, &r, &s) == 0 else { return false }
                    defer { micro_free(encoded.data) }
                    return verify(&encoded, for: bytes, GNUTLS_SIGN_ECDSA_SHA256)
                }
            }
        case .rsa(let modulus, _):
            guard signature.count == modulus.count else { return false }
            return withDatum(signature) { verify(&$0, for: bytes, GNUTLS_SIGN_RSA_SHA256) }
        }
    }

    private func verify(
        _ signature: inout gnutls_datum_t, for bytes: [UInt8],
        _ algorithm: gnutls_sign_algorithm_t
    ) -> Bool {
        let code = withPublicKey { key in
            withDatum(bytes) { gnutls_pubkey_verify_data2(key, algorithm, 0, &$0, &signature) }
        }
        return (code ?? -1) >= 0
    }

    /// Passes GnuTLS's object for the key; nil if GnuTLS rejects its numbers.
    private func withPublicKey<Value>(_ body: (gnutls_pubkey_t) -> Value) -> Value? {
        var key: gnutls_pubkey_t?
        guard gnutls_pubkey_init(&key) == 0, let key else { return nil }
        defer { gnutls_pubkey_deinit(key) }
        let code =
            switch numbers {
            case .secret: GNUTLS_E_INVALID_REQUEST
            case .point(let x, let y):
                withDatum(x) { x in
                    withDatum(y) { y in
                        gnutls_pubkey_import_ecc_raw(key, GNUTLS_ECC_CURVE_SECP256R1, &x, &y)
                    }
                }
            case .rsa(let modulus, let exponent):
                withDatum(modulus) { modulus in
                    withDatum(exponent) { exponent in
                        gnutls_pubkey_import_rsa_raw(key, &modulus, &exponent)
                    }
                }
            }
        return code == 0 ? body(key) : nil
    }

    private static func isOdd(_ number: [UInt8]) -> Bool { (number.last ?? 0) & 1 == 1 }

    /// - Parameter number: its bytes without leading zeros, most significant first.
    private static func bitCount(_ number: [UInt8]) -> Int {
        number.count * 8 - (number.first?.leadingZeroBitCount ?? 0)
    }
}

/// Passes bytes to GnuTLS, which does not write to them.
private func withDatum<Value>(_ bytes: [UInt8], _ body: (inout gnutls_datum_t) -> Value) -> Value {
    var bytes = bytes
    return bytes.withUnsafeMutableBufferPointer { buffer in
        var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
        return body(&datum)
    }
}
