import CGnuTLS
import Foundation

/// A private key of a test's own, made by GnuTLS, which signs as tokens are signed.
///
/// Unchecked: the handle is only used under the lock, and freed once there is no other reference.
package final class SigningKey: @unchecked Sendable {
    package enum Kind: Sendable {
        case es256
        case rs256(bits: UInt32)
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let key: gnutls_privkey_t
    private let kind: Kind
    private let lock = NSLock()

    package init(_ kind: Kind) throws(Failure) {
        var key: gnutls_privkey_t?
        try Self.check(gnutls_privkey_init(&key))
        guard let key else { throw Failure(description: "there is no key") }
        self.key = key
        self.kind = kind
        switch kind {
        case .es256:
            // The curve of 256 bits is P-256.
            try Self.check(gnutls_privkey_generate(key, GNUTLS_PK_ECDSA, 256, 0))
        case .rs256(let bits):
            try Self.check(gnutls_privkey_generate(key, GNUTLS_PK_RSA, bits, 0))
        }
    }

    deinit { gnutls_privkey_deinit(key) }

    /// The public numbers, as a JSON Web Key has them: x and y, or the modulus and the exponent.
    package func publicNumbers() throws(Failure) -> ([UInt8], [UInt8]) {
        lock.lock()
        defer { lock.unlock() }
        var first = gnutls_datum_t()
        var second = gnutls_datum_t()
        let flags = UInt32(GNUTLS_EXPORT_FLAG_NO_LZ.rawValue)
        switch kind {
        case .es256:
            var curve = GNUTLS_ECC_CURVE_INVALID
            try Self.check(
                gnutls_privkey_export_ecc_raw2(key, &curve, &first, &second, nil, flags))
            return (Self.padded(Self.taken(first)), Self.padded(Self.taken(second)))
        case .rs256:
            try Self.check(
                gnutls_privkey_export_rsa_raw2(
                    key, &first, &second, nil, nil, nil, nil, nil, nil, flags))
            return (Self.taken(first), Self.taken(second))
        }
    }

    /// The public key in the form of certificates (RFC 5280), as DER or PEM.
    package func publicKey(pem: Bool) throws(Failure) -> [UInt8] {
        lock.lock()
        defer { lock.unlock() }
        var publicKey: gnutls_pubkey_t?
        try Self.check(gnutls_pubkey_init(&publicKey))
        defer { gnutls_pubkey_deinit(publicKey) }
        try Self.check(gnutls_pubkey_import_privkey(publicKey, key, 0, 0))
        var text = gnutls_datum_t()
        try Self.check(
            gnutls_pubkey_export2(
                publicKey, pem ? GNUTLS_X509_FMT_PEM : GNUTLS_X509_FMT_DER, &text))
        return Self.taken(text)
    }

    /// A signature as a token has it (RFC 7518): r and s, or the number.
    package func signature(of bytes: [UInt8]) throws(Failure) -> [UInt8] {
        lock.lock()
        defer { lock.unlock() }
        var bytes = bytes
        var signature = gnutls_datum_t()
        let algorithm =
            switch kind {
            case .es256: GNUTLS_SIGN_ECDSA_SHA256
            case .rs256: GNUTLS_SIGN_RSA_SHA256
            }
        let code = bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
            return gnutls_privkey_sign_data2(key, algorithm, 0, &datum, &signature)
        }
        try Self.check(code)
        guard case .es256 = kind else { return Self.taken(signature) }
        defer { micro_free(signature.data) }
        var r = gnutls_datum_t()
        var s = gnutls_datum_t()
        try Self.check(gnutls_decode_rs_value(&signature, &r, &s))
        return Self.padded(Self.taken(r)) + Self.padded(Self.taken(s))
    }

    private static func check(_ code: Int32) throws(Failure) {
        guard code < 0 else { return }
        throw Failure(description: String(cString: gnutls_strerror(code)))
    }

    /// The bytes of what GnuTLS allocated, which is freed.
    private static func taken(_ datum: gnutls_datum_t) -> [UInt8] {
        defer { micro_free(datum.data) }
        return Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
    }

    /// A coordinate in 32 bytes, however many GnuTLS gives.
    private static func padded(_ number: [UInt8]) -> [UInt8] {
        let digits = number.drop { $0 == 0 }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}
