import Foundation
import Logging
import MicroHTTP
import ReorderAuth

/// Tokens and keys.
struct AccessCheck {
    let check: Diagnosis.Check
    let serve: Serve

    private static let soonMilliseconds: Int64 = 14 * 86_400_000

    /// - Parameter stored: the tokens that were made over HTTP.
    func run(_ stored: [[UInt8]]) {
        let access = serve.access
        guard access.asksForTokens else {
            guard access.noAuth, !Loopback.contains(host: serve.host) else {
                return check.ok("none are needed, because only this machine is served")
            }
            return check.warning(
                "none are needed: every client that reaches \(serve.host) can change everything",
                "Use --tokens, unless a proxy authenticates its clients")
        }
        for file in access.files(Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }) {
            read(file.path, "Correct the file, and let the server's user read it") {
                let content = try file.read()
                for warning in content.warnings {
                    check.warning(warning, "Correct it, or use chmod")
                }
                return content.tokens.map { "\($0.count) tokens" }
                    ?? "\(content.keys?.count ?? 0) keys"
            }
        }
        if let keys = access.issuerKeys {
            read(keys.url, "Correct --jwks, or wait for the issuer") {
                "\(try keys.current().count) keys"
            }
        }
        checkStored(stored.compactMap(IssuedToken.init(bytes:)))
    }

    private func read(_ place: String, _ remedy: String, _ body: () throws -> String) {
        do {
            check.ok("\(place) has \(try body())")
        } catch {
            check.problem("\(place) can't be used: \(error)", remedy)
        }
    }

    /// Links end without a warning, because they are meant to.
    private func checkStored(_ tokens: [IssuedToken]) {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        for token in tokens where token.link == nil {
            guard token.isExpired(at: now + Self.soonMilliseconds), let end = token.expiresAt else {
                continue
            }
            check.warning(
                "the token of \"\(token.name)\" expires on \(Diagnosis.day(Int(end / 1_000)))",
                "If it is still needed, create another one with POST /tokens")
        }
    }
}
