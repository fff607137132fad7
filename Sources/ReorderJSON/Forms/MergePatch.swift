/// JSON merge patch (RFC 7396) on compact texts.
package enum MergePatch {
    /// Applies `patch` to `text`: members of objects are merged (names are compared by bytes), null
    /// removes a member, and a patch that is not an object replaces the value. O(length).
    ///
    /// - Parameters:
    ///   - text: compact canonical text, or nil for no value.
    ///   - patch: compact canonical text.
    package static func apply(_ patch: String, to text: String?) throws(JSONError) -> String {
        var writer = JSONWriter()
        let patch = try tree(patch)
        let target = try text.map { text throws(JSONError) in try tree(text) }
        writer.write(merge(patch, into: target ?? .scalar("null")))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// An object with its members in order; other values as text.
    fileprivate indirect enum Tree {
        case object([(name: String, value: Tree)])
        case scalar(String)
    }

    private static func merge(_ patch: Tree, into target: Tree) -> Tree {
        guard case .object(let changes) = patch else { return patch }
        // nil: removed.
        var members: [(name: String, value: Tree?)] = []
        if case .object(let existing) = target { members = existing.map { ($0.name, $0.value) } }
        // Equal strings can have different bytes.
        var indices: [[UInt8]: Int] = [:]
        for (index, member) in members.enumerated() { indices[Array(member.name.utf8)] = index }
        for (name, change) in changes {
            let index = indices[Array(name.utf8)]
            if case .scalar("null") = change {
                if let index { members[index].value = nil }
            } else if let index {
                members[index].value = merge(change, into: members[index].value ?? .scalar("null"))
            } else {
                members.append((name, merge(change, into: .scalar("null"))))
            }
        }
        return .object(members.compactMap { name, value in value.map { (name, $0) } })
    }

    private static func tree(_ text: String) throws(JSONError) -> Tree {
        let text = try JSONText(checking: Array(text.utf8), maximumDepth: FormLimits.storedNesting)
        var reader = JSONReader(text)
        return tree(from: &reader)
    }

    /// Recursive, because the nesting of a checked text is bounded.
    private static func tree(from reader: inout JSONReader) -> Tree {
        guard reader.peek == .object, (try? reader.beginObject()) != nil else {
            return .scalar(reader.readRaw())
        }
        var members: [(name: String, value: Tree)] = []
        while reader.nextMember() != nil {
            let name = reader.memberName
            members.append((name, tree(from: &reader)))
        }
        return .object(members)
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ tree: MergePatch.Tree) {
        switch tree {
        case .scalar(let text): raw(text.utf8)
        case .object(let members):
            beginObject()
            for (name, value) in members {
                self.name(escaping: name)
                write(value)
            }
            endObject()
        }
    }
}
