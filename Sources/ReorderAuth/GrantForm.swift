/// A grant as it is written in token files and claims: a scope, and patterns of lists.
package struct GrantForm: Sendable, Equatable {
    package var scope: AccessScope
    /// nil for all lists. An empty array is not valid.
    package var patterns: [String]?

    package init(_ scope: AccessScope, _ patterns: [String]? = nil) {
        self.scope = scope
        self.patterns = patterns
    }
}

extension Grants {
    /// The maximum number of grants of a token.
    package static let maximumCount = 100

    /// Why grants are not valid, as a sentence without the text of a pattern.
    package struct FormatError: Error {
        package var reason: String
    }

    /// Checks the patterns, and the limits: `maximumCount`, and `ListPatterns.maximumCount` for the
    /// patterns of all grants.
    package init(forms: [GrantForm]) throws(FormatError) {
        guard (1...Self.maximumCount).contains(forms.count) else {
            throw FormatError(
                reason: "There are \(forms.count) grants; 1 to \(Self.maximumCount) are allowed.")
        }
        var grants: [Grant] = []
        for (index, form) in forms.enumerated() {
            guard let lists = form.patterns.map({ ListPatterns($0) }) ?? .all else {
                let fault = ListPatterns.fault(of: form.patterns ?? []) ?? ""
                throw FormatError(
                    reason: forms.count == 1 ? fault : "Grant \(index + 1): \(fault)")
            }
            grants.append(Grant(form.scope, lists))
        }
        let patternCount = forms.reduce(0) { $0 + ($1.patterns?.count ?? 0) }
        guard patternCount <= ListPatterns.maximumCount else {
            throw FormatError(
                reason: "The grants have \(patternCount) patterns; "
                    + "at most \(ListPatterns.maximumCount) are allowed.")
        }
        self.init(grants)
    }
}

/// The array `grants` in a token file or a claim.
struct GrantForms: Decodable {
    var all: [GrantForm] = []

    /// - Throws: `Grants.FormatError` for an element that is not a grant.
    init(from decoder: any Decoder) throws {
        var elements = try decoder.unkeyedContainer()
        while !elements.isAtEnd {
            let number = all.count + 1
            do {
                all.append(try elements.decode(GrantForm.self))
            } catch let fault as Grants.FormatError {
                throw Grants.FormatError(reason: "Grant \(number): \(fault.reason)")
            } catch {
                throw Grants.FormatError(
                    reason: "Grant \(number) must be an object with scope and, perhaps, lists.")
            }
        }
    }
}

extension GrantForm: Codable {
    private enum Key: String, CodingKey, CaseIterable { case scope, lists }

    /// - Throws: `Grants.FormatError`.
    package init(from decoder: any Decoder) throws {
        guard try decoder.hasOnly(Key.self) else {
            throw Grants.FormatError(reason: "It has a member other than scope and lists.")
        }
        let members = try decoder.container(keyedBy: Key.self)
        guard let name = try? members.decode(String.self, forKey: .scope),
            let scope = AccessScope(name: name)
        else {
            throw Grants.FormatError(reason: "scope must be \(AccessScope.names).")
        }
        self.init(scope)
        // A null `lists` is a mistake, and must not mean all lists.
        guard members.contains(.lists) else { return }
        guard let patterns = try? members.decode(Texts.self, forKey: .lists).all else {
            throw Grants.FormatError(reason: "lists must be a pattern, or an array of patterns.")
        }
        self.patterns = patterns
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(scope.name, forKey: .scope)
        try members.encodeIfPresent(patterns, forKey: .lists)
    }
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

extension Decoder {
    /// Whether an object has no other members. A misspelt member must not be mistaken for an absent
    /// one.
    func hasOnly<Key: CodingKey>(_ keys: Key.Type) throws -> Bool {
        try container(keyedBy: AnyKey.self).allKeys.allSatisfy {
            Key(stringValue: $0.stringValue) != nil
        }
    }
}

private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
