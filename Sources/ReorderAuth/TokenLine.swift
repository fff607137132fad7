import Foundation
import ReorderJSON

/// One line of a token file.
package struct TokenLine: Sendable {
    package var name: String
    package var digest: TokenDigest
    package var scope: AccessScope
    package var lists: ListPatterns
    /// The patterns as written; empty for all lists.
    private var patterns: [String]

    package struct FormatError: Error, CustomStringConvertible {
        package var reason: String
        package var description: String { reason }

        fileprivate init(patterns: [String]) {
            reason = "lists is invalid. \(ListPatterns.fault(of: patterns) ?? "")"
        }

        init(reason: String) { self.reason = reason }
    }

    /// - Parameter patterns: empty for all lists.
    package init(
        name: String, digest: TokenDigest, scope: AccessScope, patterns: [String]
    ) throws(FormatError) {
        guard !name.isEmpty, name.utf8.count <= TokenTable.maximumNameBytes,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw FormatError(
                reason: "name must have 1 to \(TokenTable.maximumNameBytes) bytes without control "
                    + "characters")
        }
        guard let lists = patterns.isEmpty ? .all : ListPatterns(patterns) else {
            throw FormatError(patterns: patterns)
        }
        self.name = name
        self.digest = digest
        self.scope = scope
        self.lists = lists
        self.patterns = patterns
    }

    init(json: String) throws(FormatError) {
        let members: Members
        do {
            members = try StrictJSON.decode(Members.self, from: Array(json.utf8))
        } catch let error as JSONError {
            throw FormatError(
                reason: error.kind == .duplicateMember
                    ? "a member occurs twice" : "it is not a JSON object")
        } catch let DecodingError.keyNotFound(key, _) {
            throw FormatError(reason: "\(key.stringValue) is missing")
        } catch let DecodingError.typeMismatch(_, context) {
            let member = context.codingPath.first.map { "\($0.stringValue) has" } ?? "it has"
            throw FormatError(reason: "\(member) the wrong type")
        } catch let fault as FormatError {
            throw fault
        } catch {
            throw FormatError(reason: "a value is null")
        }
        guard let digest = TokenDigest(hexadecimal: members.sha256) else {
            throw FormatError(reason: "sha256 must have 64 hexadecimal digits")
        }
        guard let scope = AccessScope(name: members.scope) else {
            throw FormatError(reason: "scope must be \(AccessScope.names)")
        }
        // An empty `lists` is a mistake, and must not mean all lists.
        guard members.lists?.isEmpty != true else { throw FormatError(patterns: []) }
        try self.init(
            name: members.name, digest: digest, scope: scope, patterns: members.lists ?? [])
    }

    /// The line without its line end.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        func text(_ value: some Encodable) -> String {
            (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        }
        let lists = patterns.isEmpty ? "" : #","lists":\#(text(patterns))"#
        return """
            {"name":\(text(name)),"sha256":"\(digest.hexadecimal)",\
            "scope":"\(scope.name)"\(lists)}
            """
    }

    private struct Members: Decodable {
        var name: String
        var sha256: String
        var scope: String
        var lists: [String]?

        enum Key: String, CodingKey, CaseIterable {
            case name, sha256, scope, lists
        }

        private struct AnyKey: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            // A misspelt member must not be mistaken for an absent one.
            for key in try decoder.container(keyedBy: AnyKey.self).allKeys
            where Key(stringValue: key.stringValue) == nil {
                throw FormatError(
                    reason: "it has a member other than name, sha256, scope and lists")
            }
            let members = try decoder.container(keyedBy: Key.self)
            name = try members.decode(String.self, forKey: .name)
            sha256 = try members.decode(String.self, forKey: .sha256)
            scope = try members.decode(String.self, forKey: .scope)
            guard members.contains(.lists) else { return }
            if let pattern = try? members.decode(String.self, forKey: .lists) {
                lists = [pattern]
            } else {
                lists = try members.decode([String].self, forKey: .lists)
            }
        }
    }
}
