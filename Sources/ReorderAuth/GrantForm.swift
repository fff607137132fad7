import ReorderJSON

/// A grant as it is written in token files, claims, requests and the store: a scope, and patterns of lists.
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

/// The members of a grant in JSON.
struct GrantMembers: JSONMembers {
    enum Name: JSONName, CaseIterable { case scope, lists }

    var scope: AccessScope?
    var patterns: [String]?
    /// Whether `lists` can be one pattern as text.
    var allowsText = true

    mutating func read(_ name: Name, from reader: inout JSONReader) throws(JSONTypeError) {
        switch name {
        case .scope:
            guard let value = AccessScope(name: try reader.readString()) else {
                throw reader.invalid("The scope must be \(AccessScope.names).")
            }
            scope = value
        // Null is a mistake, and must not mean all lists.
        case .lists: patterns = try reader.readTexts(allowsOne: allowsText)
        }
    }

    func write(_ name: Name, to writer: inout JSONWriter) {
        switch name {
        case .scope: writer.member(name.rawValue, scope?.name)
        case .lists:
            guard let patterns else { return }
            writer.name("lists")
            writer.beginArray()
            for pattern in patterns { writer.string(pattern) }
            writer.endArray()
        }
    }

    /// The grant; `reader` is at the end of the object.
    func grant(_ reader: borrowing JSONReader) throws(JSONTypeError) -> GrantForm {
        GrantForm(try reader.required(scope, "scope"), patterns)
    }
}

extension GrantForm {
    var members: GrantMembers { GrantMembers(scope: scope, patterns: patterns) }

    /// Reads an array of grants, and checks them.
    ///
    /// - Parameter allowsText: whether `lists` can be one pattern as text, as in files and claims.
    package static func readAll(
        from reader: inout JSONReader, allowsText: Bool = true
    ) throws(JSONTypeError) -> [GrantForm] {
        var forms: [GrantForm] = []
        try reader.beginArray()
        while reader.nextElement() {
            var members = GrantMembers(allowsText: allowsText)
            try reader.read(into: &members)
            forms.append(try members.grant(reader))
        }
        do throws(Grants.FormatError) {
            _ = try Grants(forms: forms)
        } catch {
            throw reader.invalid(error.reason)
        }
        return forms
    }
}

extension JSONText {
    /// The text of a credential. It is unambiguous: for example, a duplicate member could have one value here, and another value for
    /// the software that wrote or signed it.
    init(credential bytes: [UInt8]) throws(JSONError) {
        try self.init(checking: bytes, maximumDepth: 32)
    }
}

extension JSONReader {
    /// Reads an array of strings.
    ///
    /// - Parameter allowsOne: whether one string is such an array, too.
    mutating func readTexts(allowsOne: Bool = true) throws(JSONTypeError) -> [String] {
        if allowsOne, peek == .string { return [try readString()] }
        var texts: [String] = []
        try beginArray()
        while nextElement() { texts.append(try readString()) }
        return texts
    }
}

extension JSONWriter {
    /// Writes the member `grants`.
    mutating func grants(_ grants: [GrantForm]) {
        name("grants")
        beginArray()
        for grant in grants { object(grant.members) }
        endArray()
    }
}
