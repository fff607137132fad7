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
    func fault(in grant: Grant, at time: Date) -> String? {
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
        let scopes = (claims.texts["scope"]?.first ?? "").split(separator: " ")
        guard grant.scope == .none || scopes.contains("reorderd:\(grant.scope.name)") else {
            return "a scope is granted that no claim names"
        }
        return listFault(in: grant, claims)
    }

    private func listFault(in grant: Grant, _ claims: Members) -> String? {
        guard claims.names.contains("lists") else {
            return grant.lists == .all ? nil : "all lists are some"
        }
        guard let patterns = claims.texts["lists"] else {
            return "the claim lists is not an array of strings"
        }
        var lists = ["a", "menu", "family-1", "~"]
        for pattern in patterns { lists += [pattern, "\(pattern)x", String(pattern.dropLast())] }
        for list in lists {
            let isNamed = patterns.contains {
                list == $0 || $0.hasSuffix("*") && list.utf8.starts(with: $0.utf8.dropLast())
            }
            if grant.lists.allow(list) != isNamed {
                return "access to a list does not match the claim"
            }
        }
        return nil
    }

    /// An object's members: numbers by name, and strings or arrays of strings.
    private struct Members {
        private(set) var names: Set<String> = []
        private(set) var numbers: [String: Double] = [:]
        private(set) var texts: [String: [String]] = [:]

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
