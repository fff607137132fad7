import Foundation
import ReorderAuth
import ReorderCrypto

/// The credentials of a simulation. Signed tokens have a key that is known before, so that a run can be repeated.
enum Credentials {
    /// The token of the clients that may do everything.
    static let root = "root-of-the-simulation"
    private static let secret = [UInt8](repeating: 7, count: 32)

    /// The access rules of a server.
    static func makeControl(clock: @escaping @Sendable () -> Date) throws -> AccessControl {
        let digest = TokenDigest(of: Array(root.utf8)).hexadecimal
        let tokens = try TokenTable(#"{"name":"root","sha256":"\#(digest)","scope":"admin"}"#)
        let key = #"{"keys":[{"kty":"oct","kid":"k","alg":"HS256","k":"\#(base64URL(secret))"}]}"#
        let control = AccessControl(
            tokens: tokens, keys: try JSONWebKeys(json: Data(key.utf8)), clock: clock)
        // All servers of a store accept the same tickets.
        control.useTicketSecret([UInt8](repeating: 9, count: AccessControl.ticketSecretBytes))
        return control
    }

    static func signed(name: String, _ grants: [HeldToken.Grant], expires: Int) -> String {
        let claims =
            "{\"exp\":\(expires),\"sub\":\"\(name)\",\"grants\":[\(grants.map(\.json).joined(separator: ","))]}"
        let text =
            base64URL(#"{"alg":"HS256","typ":"JWT","kid":"k"}"#.utf8) + "."
            + base64URL(claims.utf8)
        let code = SHA256.authenticationCode(of: Array(text.utf8), secret: secret)
        return "\(text).\(base64URL(code))"
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
