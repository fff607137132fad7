import ArgumentParser
import Glibc
import Logging
import MicroHTTP

/// Who the server is to clients that speak TLS.
struct TLSOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve TLS 1.2 and 1.3: a chain of certificates in PEM, the server's own first.",
            discussion: "It is read again on SIGHUP, for connections that come from then on.",
            valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's key in PEM.", valueName: "file"))
    var tlsKey: String?

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key go together.")
        }
    }

    /// nil where the server speaks plain HTTP.
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
                logger.notice("the certificate was read again")
            } catch {
                logger.warning("the certificate stays as it was: \(error)")
            }
        }
        return identity
    }
}
