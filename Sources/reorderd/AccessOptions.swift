import ArgumentParser
import Foundation
import Logging
import MicroHTTP
import ReorderAccess

/// Who may use the server.
struct AccessOptions: ParsableArguments {
    @Option(
        help: """
            A file of tokens (`reorderd token new` makes one), of which each request needs one. It is \
            read again on SIGHUP.
            """)
    var tokens: String?

    @Option(
        help: """
            A file of keys (a JSON Web Key Set), by which signed tokens are known (JWT: HS256, ES256, \
            RS256). It is read again on SIGHUP.
            """)
    var jwks: String?

    @Option(help: "Who may have made a signed token (iss); may be given several times.")
    var jwtIssuer: [String] = []

    @Option(
        help: """
            For whom a signed token must be (aud); may be given several times. Without it, tokens that \
            are for someone are refused.
            """)
    var jwtAudience: [String] = []

    @Flag(
        help: """
            Ask nobody who he is, whatever the address is and however the server is called. Without \
            tokens and this, only loopback addresses may be listened on, and are answered to.
            """)
    var noAuth = false

    func validate() throws {
        guard !noAuth || !asksForTokens else {
            throw ValidationError("--no-auth excludes --tokens and --jwks.")
        }
        guard jwks != nil || jwtIssuer.isEmpty && jwtAudience.isEmpty else {
            throw ValidationError("--jwt-issuer and --jwt-audience go with --jwks.")
        }
    }

    var asksForTokens: Bool { tokens != nil || jwks != nil }

    /// Whether the server counts on nobody but this machine reaching it.
    var isLocal: Bool { !noAuth && !asksForTokens }

    /// Sees that whoever can reach an address is meant to.
    func check(host: String) throws {
        guard !isLocal || Loopback.contains(host: host) else {
            throw ValidationError(
                """
                Without tokens only this machine may be listened on, and \(host) is more: give \
                --tokens FILE (`reorderd token new --file FILE` makes the first) or --jwks FILE, or \
                --no-auth where \
                everyone who reaches it may change everything.
                """)
        }
    }

    /// The rules, which are read again on SIGHUP; `nil`: there are none.
    ///
    /// - Throws: an exit code, after the log was told why.
    func open(_ reload: ReloadSignal, _ logger: Logger) throws -> AccessControl? {
        guard asksForTokens else { return nil }
        let control = AccessControl(
            checks: TokenChecks(issuers: jwtIssuer, audiences: jwtAudience))
        for file in [
            tokens.map { AccessFile(path: $0, kind: .tokens, logger: logger) },
            jwks.map { AccessFile(path: $0, kind: .keys, logger: logger) },
        ].compactMap(\.self) {
            do {
                try file.read(into: control)
            } catch {
                logger.critical("\(file.path) can't be used: \(error)")
                throw ExitCode(EX_CONFIG)
            }
            reload.onReload {
                do {
                    try file.read(into: control)
                } catch {
                    logger.error("\(file.path) is not taken, what was read before holds: \(error)")
                }
            }
        }
        return control
    }
}
