import CGnuTLS

/// The client's end of a TLS connection to a server on this machine. The certificate is not verified.
package final class TLSClient {
    private let session: gnutls_session_t
    private let credentials: gnutls_certificate_credentials_t

    /// Makes the handshake over a connected, blocking socket, which the caller closes. The socket's time-outs apply.
    package init(on socket: Int32) throws(TLSError) {
        var credentials: gnutls_certificate_credentials_t?
        var session: gnutls_session_t?
        var code = gnutls_certificate_allocate_credentials(&credentials)
        guard code >= 0, let credentials else { throw TLSError(code, "TLS") }
        code = micro_tls_begin_client(&session, credentials, socket)
        guard code >= 0, let session else {
            gnutls_certificate_free_credentials(credentials)
            throw TLSError(code, "TLS")
        }
        self.credentials = credentials
        self.session = session
        repeat {
            code = gnutls_handshake(session)
        } while code < 0 && code != GNUTLS_E_AGAIN && gnutls_error_is_fatal(code) == 0
        guard code >= 0 else { throw TLSError(code, "the handshake") }
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
    }

    /// Returns the number of bytes sent; less than 0 on failure.
    package func send(_ bytes: [UInt8]) -> Int {
        gnutls_record_send(session, bytes, bytes.count)
    }

    /// Returns the number of bytes received; 0 at the end, less than 0 on failure.
    package func receive(_ buffer: inout [UInt8]) -> Int {
        gnutls_record_recv(session, &buffer, buffer.count)
    }
}
