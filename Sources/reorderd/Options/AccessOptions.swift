import ArgumentParser
import Foundation
import Logging
import MicroHTTP
import ReorderAuth
import WebhookSockets

/// The options that decide which clients may use the server.
struct AccessOptions: ParsableArguments {
    @Option(
        help: """
            A file of tokens (`reorderd token new` creates a token). With it, each request must \
            have a token. The file is read again on SIGHUP.
            """)
    var tokens: String?

    @Option(
        help: """
            A JSON Web Key Set: a file, or an https:// URL of the set or of its issuer's discovery \
            document (.../.well-known/openid-configuration). Its keys verify signed tokens (JWT: \
            HS256, ES256, RS256). The set is read again on SIGHUP, and from a URL every minute.
            """)
    var jwks: String?

    @Option(help: "Accept signed tokens of this issuer (iss) only; may be repeated.")
    var jwtIssuer: [String] = []

    @Option(
        help: """
            Accept signed tokens for this audience (aud); may be repeated. Without it, tokens that \
            name an audience are refused.
            """)
    var jwtAudience: [String] = []

    @Flag(
        help: """
            Allow everyone to use the server without a token, on any address. Without tokens and \
            without this flag, the server listens on loopback addresses only, and accepts only \
            requests whose Host is a loopback name.
            """)
    var noAuth = false

    func validate() throws {
        guard !noAuth || !asksForTokens else {
            throw ValidationError("--no-auth can't be combined with --tokens or --jwks.")
        }
        guard jwks != nil || jwtIssuer.isEmpty && jwtAudience.isEmpty else {
            throw ValidationError("--jwt-issuer and --jwt-audience need --jwks.")
        }
        guard jwks?.hasPrefix("http://") != true else {
            throw ValidationError("--jwks must be a file, or a URL that begins with https://.")
        }
    }

    var asksForTokens: Bool { tokens != nil || jwks != nil }

    /// Whether the server accepts only clients on this machine.
    var isLocal: Bool { !noAuth && !asksForTokens }

    /// Refuses to listen beyond this machine unless access is configured.
    func validate(host: String) throws {
        guard !isLocal || Loopback.contains(host: host) else {
            throw ValidationError(
                """
                Without tokens, the server listens on loopback addresses only, and \(host) is not \
                a loopback address. Give --tokens FILE (`reorderd token new --file FILE` makes the \
                first token) or --jwks FILE. Or give --no-auth: then every client that reaches the \
                server can change everything.
                """)
        }
    }

    /// The access rules, which are read again on SIGHUP; nil without tokens and keys.
    ///
    /// - Throws: an exit code, after logging the reason.
    func open(_ reload: ReloadSignal, _ logger: Logger) throws -> AccessControl? {
        guard asksForTokens else { return nil }
        let control = AccessControl(
            checks: TokenChecks(issuers: jwtIssuer, audiences: jwtAudience))
        for file in files(logger) {
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
                    logger.error(
                        "\(file.path) can't be used, its previous content stays in effect: \(error)"
                    )
                }
            }
        }
        if let keys = issuerKeys {
            let issuer = AccessIssuer(keys, control, logger)
            issuer.start()
            reload.onReload { issuer.wake() }
        }
        return control
    }

    func files(_ logger: Logger) -> [AccessFile] {
        [
            tokens.map { AccessFile(path: $0, kind: .tokens, logger: logger) },
            issuerKeys == nil
                ? jwks.map { AccessFile(path: $0, kind: .keys, logger: logger) } : nil,
        ].compactMap(\.self)
    }

    /// nil if `jwks` is a file.
    var issuerKeys: IssuerKeys? {
        guard let jwks, jwks.lowercased().hasPrefix(IssuerKeys.scheme) else { return nil }
        return IssuerKeys(url: jwks, issuers: jwtIssuer) { try CurlDownload.bytes(of: $0) }
    }
}
