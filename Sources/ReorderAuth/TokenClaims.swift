import Foundation
import ReorderJSON

/// The claims of a signed token.
struct TokenClaims {
    var exp: Double
    var nbf: Double?
    var iss: String?
    var aud: [String]?
    var sub: String?
    /// Words separated by spaces (RFC 8693).
    var scope: String?
    /// Patterns of lists. If absent, all lists.
    var lists: [String]?
    /// The other form of `scope` and `lists`.
    var grants: [GrantForm]?

    /// Why claims are not valid, as a sentence for the client.
    struct FormatError: Error {
        var reason: String
    }

    init(json: [UInt8]) throws(FormatError) {
        let text: JSONText
        do throws(JSONError) {
            text = try JSONText(credential: json)
        } catch {
            throw FormatError(
                reason: error.kind == .duplicateMember
                    ? "A claim occurs twice." : "The claims are not valid JSON. \(error)")
        }
        var reader = JSONReader(text)
        do throws(JSONTypeError) {
            self = try TokenClaims(from: &reader)
        } catch {
            throw FormatError(reason: "The claims are not valid. \(error.located)")
        }
    }

    private init(from reader: inout JSONReader) throws(JSONTypeError) {
        var exp: Double?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "exp": exp = try reader.readDouble()
            case "nbf": nbf = try reader.readDouble()
            case "iss": iss = try reader.readString()
            case "aud": aud = try reader.readTexts()
            case "sub": sub = try reader.readString()
            case "scope": scope = try reader.readString()
            case "lists": lists = try reader.readTexts()
            case "grants": grants = try GrantForm.readAll(from: &reader)
            default: break
            }
        }
        self.exp = try reader.required(exp, "exp")
    }

    /// What the token allows.
    func granted() throws(FormatError) -> Grants {
        do throws(Grants.FormatError) {
            guard let grants else {
                return try Grants(forms: [GrantForm(highestScope, lists)])
            }
            guard lists == nil, highestScope == .none else {
                throw Grants.FormatError(
                    reason: "It must not be combined with lists, or with a scope of this server.")
            }
            return try Grants(forms: grants)
        } catch {
            let claim = grants == nil ? "lists" : "grants"
            throw FormatError(reason: "The claim \(claim) is not valid. \(error.reason)")
        }
    }

    /// The highest of this server's scopes: `reorderd:metrics`, `reorderd:read`,
    /// `reorderd:write`, `reorderd:purge`, `reorderd:admin`.
    private var highestScope: AccessScope {
        let prefix = "reorderd:"
        let scopes = (scope ?? "").split(separator: " ").compactMap { word in
            word.hasPrefix(prefix) ? AccessScope(name: word.dropFirst(prefix.count)) : nil
        }
        return scopes.max() ?? .none
    }
}

/// Conditions for signed tokens, besides the signature and the time.
package struct TokenChecks: Sendable {
    /// The accepted issuers. If empty, tokens of any issuer and tokens without an issuer are
    /// accepted.
    package var issuers: [String]
    /// The accepted audiences. If empty, only tokens without an audience are accepted.
    package var audiences: [String]

    /// The allowed difference between the clocks of the issuer and this server.
    package static let skewSeconds = 60.0

    package init(issuers: [String] = [], audiences: [String] = []) {
        self.issuers = issuers
        self.audiences = audiences
    }

    /// The access for these claims.
    func access(
        _ claims: TokenClaims, source: TokenAccess.Source, at time: Date
    ) -> Result<TokenAccess, Denial> {
        let now = time.timeIntervalSince1970
        guard now < claims.exp + Self.skewSeconds else { return .failure(.expired) }
        guard claims.nbf.map({ $0 - Self.skewSeconds <= now }) ?? true else {
            return .failure(.notYetValid)
        }
        guard issuers.isEmpty || claims.iss.map(issuers.contains) ?? false else {
            return .failure(.otherIssuer)
        }
        // A token with an audience is only valid for that audience (RFC 7519, section 4.1.3).
        guard claims.aud.map({ !Set($0).isDisjoint(with: audiences) }) ?? audiences.isEmpty
        else { return .failure(.otherAudience) }
        do throws(TokenClaims.FormatError) {
            return .success(
                TokenAccess(
                    kind: "jwt \(claims.iss ?? "-")", name: claims.sub,
                    grants: try claims.granted(),
                    expires: Date(timeIntervalSince1970: claims.exp + Self.skewSeconds),
                    source: source))
        } catch {
            return .failure(.unusable(reason: error.reason))
        }
    }
}
