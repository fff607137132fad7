import Foundation
import ReorderAuth
import ReorderJSON

/// A signed token's header and claims, and the conditions for granting access.
struct SignedParts {
    let key: Character
    let header: ArraySlice<UInt8>
    let claims: ArraySlice<UInt8>

    /// Returns nil if the bytes don't name a key.
    init?(_ bytes: [UInt8]) {
        guard let first = bytes.first, "her".utf8.contains(first), bytes.dropFirst().first == 0x20
        else { return nil }
        let lines = bytes.dropFirst(2).split(
            separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        key = Character(UnicodeScalar(first))
        header = lines.first ?? []
        claims = lines.dropFirst().first ?? []
    }

    /// Decodes the header and the claims again, with another decoder than the server's.
    func fault(in grants: Grants, at time: Date) -> String? {
        guard let header = Members(header), let claims = Members(claims) else {
            return "a token is accepted that is not JSON or has duplicate members"
        }
        let algorithm = ["h": "HS256", "e": "ES256"][key] ?? "RS256"
        guard header.texts["alg"] == [algorithm], !header.names.contains("crit"),
            header.texts["kid"] ?? [String(key)] == [String(key)]
        else { return "a token's header does not match the key" }

        let now = time.timeIntervalSince1970
        guard let expires = claims.numbers["exp"], now < expires + 60,
            claims.numbers["nbf"].map({ $0 <= now + 60 }) ?? true
        else { return "a token is accepted that is not valid now" }
        guard !claims.names.contains("aud") else {
            return "a token for another audience is accepted"
        }
        return grantFault(in: grants, claims)
    }

    /// A scope with its patterns, as the claims name them.
    private typealias Named = (scope: AccessScope, patterns: [String])

    private func grantFault(in grants: Grants, _ claims: Members) -> String? {
        guard let named = Self.named(by: claims) else {
            return "a token is accepted whose scopes or lists are not valid"
        }
        var lists = ["a", "menu", "family-1", "~"]
        for pattern in named.flatMap(\.patterns) {
            lists += [pattern, "\(pattern)x", String(pattern.dropLast())]
        }
        for scope in AccessScope.allCases.dropFirst() {
            for list in lists {
                let isNamed = named.contains { grant in
                    grant.scope.includes(scope) && grant.patterns.contains { $0.matches(list) }
                }
                if grants.include(scope, for: list) != isNamed {
                    return "access to a list does not match the claims"
                }
            }
        }
        return nil
    }

    /// nil if the claims are not valid.
    private static func named(by claims: Members) -> [Named]? {
        let words = (claims.texts["scope"]?.first ?? "").split(separator: " ")
        let scopes = words.filter { $0.hasPrefix("reorderd:") }.compactMap {
            AccessScope(name: $0.dropFirst(9))
        }
        guard claims.names.contains("grants") else {
            guard let lists = claims.patterns else { return nil }
            return [(scopes.max() ?? .none, lists)]
        }
        guard let grants = claims.grants, scopes.isEmpty, !claims.names.contains("lists") else {
            return nil
        }
        var named: [Named] = []
        for grant in grants {
            guard let name = grant.texts["scope"]?.first, let scope = AccessScope(name: name),
                let lists = grant.patterns, grant.names.isSubset(of: ["scope", "lists"])
            else { return nil }
            named.append((scope, lists))
        }
        return named.isEmpty ? nil : named
    }

    /// An object's members: numbers by name, and strings or arrays of strings.
    private struct Members {
        private(set) var names: Set<String> = []
        private(set) var numbers: [String: Double] = [:]
        private(set) var texts: [String: [String]] = [:]
        private(set) var grants: [Members]?

        /// The patterns of `lists`; nil if it is neither text nor texts.
        var patterns: [String]? { names.contains("lists") ? texts["lists"] : ["*"] }

        init?(_ bytes: ArraySlice<UInt8>) {
            guard let text = try? JSONText(checking: Array(bytes), maximumDepth: 32) else {
                return nil
            }
            var reader = JSONReader(text)
            do throws(JSONTypeError) {
                try reader.beginObject()
                while reader.nextMember() != nil {
                    let name = reader.memberName
                    names.insert(name)
                    switch reader.peek {
                    case .number: numbers[name] = Double(reader.readRaw())
                    case .string: texts[name] = [try reader.readString()]
                    case .array where name == "lists": texts[name] = try Self.texts(&reader)
                    case .array where name == "grants":
                        grants = []
                        try reader.beginArray()
                        while reader.nextElement() {
                            guard let grant = Members(Array(reader.readRaw().utf8)[...]) else {
                                return nil
                            }
                            grants?.append(grant)
                        }
                    default: reader.skip()
                    }
                }
            } catch {
                return nil
            }
        }

        private static func texts(_ reader: inout JSONReader) throws(JSONTypeError) -> [String] {
            var texts: [String] = []
            try reader.beginArray()
            while reader.nextElement() { texts.append(try reader.readString()) }
            return texts
        }
    }
}

extension String {
    /// Whether a pattern matches a list.
    fileprivate func matches(_ list: String) -> Bool {
        list == self || hasSuffix("*") && list.utf8.starts(with: utf8.dropLast())
    }
}
