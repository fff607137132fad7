import Foundation
import ReorderJSON

/// The claims of a signed token.
struct TokenClaims: Decodable {
    var exp: Double
    var nbf: Double?
    var iss: String?
    var aud: Texts?
    var sub: String?
    /// Words separated by spaces (RFC 8693).
    var scope: String?
    /// Patterns of lists. If absent, all lists.
    var lists: Texts?

    private enum Key: String, CodingKey {
        case exp, nbf, iss, aud, sub, scope, lists

        var form: String {
            switch self {
            case .exp, .nbf: "a number"
            case .iss, .sub, .scope: "text"
            case .aud, .lists: "text, or an array of texts"
            }
        }
    }

    /// Why claims are not valid, as a sentence for the client.
    struct FormatError: Error {
        var reason: String
    }

    init(json: [UInt8]) throws(FormatError) {
        do {
            self = try StrictJSON.decode(TokenClaims.self, from: json)
        } catch let error as FormatError {
            throw error
        } catch let error as JSONError {
            throw FormatError(
                reason: error.kind == .duplicateMember
                    ? "A claim occurs twice." : "The claims are not valid JSON. \(error)")
        } catch {
            throw FormatError(reason: "The claims are not a JSON object.")
        }
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: Key.self)
        /// A null claim is not treated as absent: for `lists`, that would mean all lists.
        func claim<Value: Decodable>(_ key: Key) throws -> Value? {
            guard claims.contains(key) else { return nil }
            do {
                return try claims.decode(Value.self, forKey: key)
            } catch {
                throw FormatError(reason: "The claim \(key.rawValue) must be \(key.form).")
            }
        }
        guard let exp: Double = try claim(.exp) else {
            throw FormatError(reason: "The claim exp is required.")
        }
        self.exp = exp
        nbf = try claim(.nbf)
        iss = try claim(.iss)
        aud = try claim(.aud)
        sub = try claim(.sub)
        scope = try claim(.scope)
        lists = try claim(.lists)
    }

    /// A string, or an array of strings.
    struct Texts: Decodable {
        var all: [String]

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                all = [text]
            } else {
                all = try value.decode([String].self)
            }
        }
    }

    /// The highest of this server's scopes: `reorderd:metrics`, `reorderd:read`,
    /// `reorderd:write`, `reorderd:admin`.
    var highestScope: AccessScope {
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

    /// The grant for these claims.
    func grant(
        _ claims: TokenClaims, source: Grant.Source, at time: Date
    ) -> Result<Grant, Denial> {
        let now = time.timeIntervalSince1970
        guard now < claims.exp + Self.skewSeconds else { return .failure(.expired) }
        guard claims.nbf.map({ $0 - Self.skewSeconds <= now }) ?? true else {
            return .failure(.notYetValid)
        }
        guard issuers.isEmpty || claims.iss.map(issuers.contains) ?? false else {
            return .failure(.otherIssuer)
        }
        // A token with an audience is only valid for that audience (RFC 7519, section 4.1.3).
        guard claims.aud.map({ !Set($0.all).isDisjoint(with: audiences) }) ?? audiences.isEmpty
        else { return .failure(.otherAudience) }
        let patterns = claims.lists?.all
        guard let lists = patterns.map({ ListPatterns($0) }) ?? .all else {
            let fault = ListPatterns.fault(of: patterns ?? []) ?? ""
            return .failure(.unusable(reason: "The claim lists is not valid. \(fault)"))
        }
        return .success(
            Grant(
                kind: "jwt \(claims.iss ?? "-")", name: claims.sub ?? "-",
                scope: claims.highestScope, lists: lists,
                expires: Date(timeIntervalSince1970: claims.exp + Self.skewSeconds),
                source: source))
    }
}
