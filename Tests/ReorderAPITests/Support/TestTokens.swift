import Foundation
import ReorderAuth
import ReorderCrypto

/// Tokens whose text names their access: `write`, `write:l,m*` for some lists only, or several grants:
/// `write:l;read:m*`. The prefix `jwt ` means a signed token with the same access.
enum TestTokens {
    static let all = [
        "metrics", "read", "write", "admin", "metrics:mine*,l", "read:mine*,l", "write:mine*,l",
        "admin:mine*,l", "write:other", "purge", "purge:mine*,l", writer, reader,
        "purge:mine*,l;write:other", "write:mine*;read", "metrics;read:mine*,l",
    ]
    /// Writes `l` and reads `other`, and the reverse.
    static let writer = "write:mine*,l;read:other"
    static let reader = "read:l;write:mine*,other"

    static func table(_ tokens: [String] = all) throws -> TokenTable {
        try TokenTable(
            tokens.map { token in
                try TokenLine(
                    name: token, digest: TokenDigest(of: Array(text(of: token).utf8)),
                    grants: grants(token[...])
                ).json
            }.joined(separator: "\n"))
    }

    private static func grants(_ token: Substring) -> [GrantForm] {
        token.split(separator: ";").map { grant in
            let parts = grant.split(separator: ":")
            return GrantForm(
                AccessScope(name: parts[0]) ?? .none,
                parts.dropFirst().first?.split(separator: ",").map(String.init))
        }
    }

    static func control(_ keys: JSONWebKeys? = nil) throws -> AccessControl {
        AccessControl(tokens: try table(), keys: keys)
    }

    /// The keys that verify signed tokens.
    static let keys = Result { try JSONWebKeys(json: Data(keySet.utf8)) }
    static let keySet = #"{"keys":[{"kty":"oct","kid":"k","k":"\#(base64URL(secret))"}]}"#
    private static let secret = Array("a secret of 32 bytes, as it must".utf8)

    /// A signed token.
    static func signed(
        _ claims: String, algorithm: String = "HS256", secret: [UInt8] = secret
    ) -> String {
        let header = #"{"alg":"\#(algorithm)","kid":"k"}"#
        let text = "\(base64URL(Array(header.utf8))).\(base64URL(Array(claims.utf8)))"
        let code = SHA256.authenticationCode(of: Array(text.utf8), secret: secret)
        return "\(text).\(base64URL(code))"
    }

    private static func signed(for rights: Substring) -> String {
        let end = Int(Date().timeIntervalSince1970) + 3_600
        let grants = grants(rights)
        func claims(_ grant: GrantForm, _ prefix: String = "") -> String {
            let lists = grant.patterns.map { #","lists":\#($0)"# } ?? ""
            return #""scope":"\#(prefix)\#(grant.scope.name)"\#(lists)"#
        }
        let claim =
            grants.count == 1
            ? claims(grants[0], "reorderd:")
            : #""grants":[\#(grants.map { "{\(claims($0))}" }.joined(separator: ","))]"#
        return signed(#"{"exp":\#(end),"sub":"\#(rights)",\#(claim)}"#)
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// The header field of a client with a token.
    static func field(_ token: String) -> [String: String] {
        ["Authorization": "Bearer \(text(of: token))"]
    }

    private static func text(of token: String) -> String {
        if token.hasPrefix("jwt ") { return signed(for: token.dropFirst(4)) }
        return "rdr_" + token.map { $0.isLetter ? String($0) : "-" }.joined()
    }
}

/// A client that sends a token with each request.
struct TokenClient: APIClient {
    let client: any APIClient
    let fields: [String: String]

    init(_ client: any APIClient, _ token: String) {
        self.init(client, fields: TestTokens.field(token))
    }

    init(_ client: any APIClient, fields: [String: String]) {
        self.client = client
        self.fields = fields
    }

    func send(_ call: APIRequest) throws -> APIResponse { try client.send(with(call)) }
    func open(_ call: APIRequest) throws -> any EventReader { try client.open(with(call)) }
    func fresh() -> any APIClient { self }

    private func with(_ call: APIRequest) -> APIRequest {
        var call = call
        call.fields += fields.map { ($0.key, $0.value) }
        return call
    }
}

extension ServerUnderTest {
    func client(with token: String) -> TokenClient { TokenClient(client, token) }
}
