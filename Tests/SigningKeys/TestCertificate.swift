import CGnuTLS
import Foundation

/// A self-signed certificate for a test, with its key, in PEM.
package struct TestCertificate {
    package let certificate: Data
    package let key: Data

    package init(validFrom begin: Date, until end: Date) {
        var (key, certificate): (gnutls_x509_privkey_t?, gnutls_x509_crt_t?)
        gnutls_x509_privkey_init(&key)
        gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, 256, 0)
        gnutls_x509_crt_init(&certificate)
        defer {
            gnutls_x509_crt_deinit(certificate)
            gnutls_x509_privkey_deinit(key)
        }
        gnutls_x509_crt_set_version(certificate, 3)
        gnutls_x509_crt_set_serial(certificate, [1], 1)
        gnutls_x509_crt_set_activation_time(certificate, Int(begin.timeIntervalSince1970))
        gnutls_x509_crt_set_expiration_time(certificate, Int(end.timeIntervalSince1970))
        gnutls_x509_crt_set_key(certificate, key)
        gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0)
        var (encoded, encodedKey) = (gnutls_datum_t(), gnutls_datum_t())
        gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &encoded)
        gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &encodedKey)
        defer {
            micro_free(encoded.data)
            micro_free(encodedKey.data)
        }
        self.certificate = Data(bytes: encoded.data, count: Int(encoded.size))
        self.key = Data(bytes: encodedKey.data, count: Int(encodedKey.size))
    }
}
