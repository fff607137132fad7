import CGnuTLS
import Synchronization

/// The server's certificates and their key, read from files, and read again on `reload`.
package final class TLSIdentity: Sendable {
    private let certificatePath: String
    private let keyPath: String
    private let current: Mutex<TLSCredentials>

    /// - Parameters:
    ///   - certificatePath: a chain of certificates in PEM, beginning with the server's.
    ///   - keyPath: the key of the server's certificate, in PEM.
    package init(certificatePath: String, keyPath: String) throws(TLSError) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
        current = Mutex(try TLSCredentials(certificatePath, keyPath))
    }

    /// Reads the files again, for later connections. If this throws, nothing changes.
    package func reload() throws(TLSError) {
        let credentials = try TLSCredentials(certificatePath, keyPath)
        current.withLock { $0 = credentials }
    }

    /// When the server's certificate is valid, in seconds since 1970; nil if it can't be read.
    package var validity: (from: Int, until: Int)? { credentials.validity }

    var credentials: TLSCredentials { current.withLock { $0 } }
}

package struct TLSError: Error, CustomStringConvertible {
    package let description: String

    init(_ code: Int32, _ what: String) {
        description = "\(what): \(String(cString: gnutls_strerror(code)))"
    }
}

/// A certificate chain and its key, kept until the last session that uses them ends.
///
/// `@unchecked Sendable`: after `init`, GnuTLS only reads them.
final class TLSCredentials: @unchecked Sendable {
    private let credentials: gnutls_certificate_credentials_t
    private let priority: gnutls_priority_t

    fileprivate init(_ certificatePath: String, _ keyPath: String) throws(TLSError) {
        var credentials: gnutls_certificate_credentials_t?
        var priority: gnutls_priority_t?
        var code = gnutls_certificate_allocate_credentials(&credentials)
        guard code >= 0, let credentials else { throw TLSError(code, "TLS") }
        code = micro_tls_read(credentials, certificatePath, keyPath)
        guard code >= 0 else {
            gnutls_certificate_free_credentials(credentials)
            throw TLSError(code, "\(certificatePath) and \(keyPath)")
        }
        code = gnutls_priority_init(&priority, Self.versions, nil)
        guard code >= 0, let priority else {
            gnutls_certificate_free_credentials(credentials)
            throw TLSError(code, "TLS")
        }
        self.credentials = credentials
        self.priority = priority
    }

    private static let versions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

    deinit {
        gnutls_priority_deinit(priority)
        gnutls_certificate_free_credentials(credentials)
    }

    fileprivate var validity: (from: Int, until: Int)? {
        var encoded = gnutls_datum_t()
        var certificate: gnutls_x509_crt_t?
        guard gnutls_certificate_get_crt_raw(credentials, 0, 0, &encoded) >= 0,
            gnutls_x509_crt_init(&certificate) >= 0, let certificate
        else { return nil }
        defer { gnutls_x509_crt_deinit(certificate) }
        guard gnutls_x509_crt_import(certificate, &encoded, GNUTLS_X509_FMT_DER) >= 0 else {
            return nil
        }
        return (
            gnutls_x509_crt_get_activation_time(certificate),
            gnutls_x509_crt_get_expiration_time(certificate)
        )
    }

    /// Creates a session on a socket; nil if memory is exhausted. The credentials must outlive the
    /// session.
    func session(on socket: Int32) -> gnutls_session_t? {
        var session: gnutls_session_t?
        return micro_tls_begin(&session, credentials, priority, socket) < 0 ? nil : session
    }
}
