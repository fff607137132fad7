import ArgumentParser
import Glibc
import Logging
import MicroHTTP

/// The options for serving TLS.
struct TLSOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve TLS 1.2 and 1.3 with this certificate chain (PEM, the server's certificate first).",
            discussion: "The file is read again on SIGHUP, for new connections.",
            valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's private key (PEM).", valueName: "file"))
    var tlsKey: String?

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key must be given together.")
        }
    }

    /// nil if the server uses plain HTTP.
    func open(_ reload: ReloadSignal, _ logger: Logger) throws -> TLSIdentity? {
        guard let tlsCert, let tlsKey else { return nil }
        let identity: TLSIdentity
        do {
            identity = try TLSIdentity(certificatePath: tlsCert, keyPath: tlsKey)
        } catch {
            logger.critical("the certificate can't be used: \(error)")
            throw ExitCode(EX_CONFIG)
        }
        reload.onReload {
            do {
                try identity.reload()
                logger.notice("reloaded the certificate")
            } catch {
                logger.warning(
                    "the new certificate can't be used, the previous one stays in effect: \(error)")
            }
        }
        return identity
    }
}
