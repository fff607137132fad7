import Foundation
import MicroHTTP

/// The certificate and its key.
struct CertificateCheck {
    let check: Diagnosis.Check

    private static let soonSeconds = 14 * 86_400

    func run(_ options: TLSOptions) {
        guard let certificate = options.tlsCert, let key = options.tlsKey else {
            return check.ok("none, because the server does not use TLS")
        }
        let renewal = "Renew it, and send the server SIGHUP"
        do throws(TLSError) {
            let identity = try TLSIdentity(certificatePath: certificate, keyPath: key)
            let validity = identity.validity ?? (from: 0, until: 0)
            let (now, end) = (Int(Date().timeIntervalSince1970), Diagnosis.day(validity.until))
            if now > validity.until {
                check.problem("\(certificate) expired on \(end)", renewal)
            } else if now < validity.from {
                check.problem(
                    "\(certificate) is valid only from \(Diagnosis.day(validity.from))",
                    "Set the clock, or use another certificate")
            } else if now + Self.soonSeconds > validity.until {
                check.warning("\(certificate) expires on \(end)", renewal)
            } else {
                check.ok("it matches its key, and is valid until \(end)")
            }
        } catch {
            check.problem(
                "it can't be used: \(error)",
                "Let the server's user read both files, and use the certificate's own key")
        }
    }
}
