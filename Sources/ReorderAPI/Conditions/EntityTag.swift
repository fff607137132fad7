import MicroHTTP
import ReorderService

/// Entity tags (RFC 9110): a list's is its version in quotes, and strong.
enum EntityTag {
    static func of(_ version: Int) -> String { "\"\(version)\"" }

    /// The tags of an `If-Match` or `If-None-Match` field, each as it was written.
    ///
    /// A comma inside quotes belongs to the tag.
    static func list(_ field: String) -> [Substring] {
        var tags: [Substring] = []
        var rest = Substring(field)
        while let start = rest.firstIndex(where: { $0 != " " && $0 != "\t" && $0 != "," }) {
            var isQuoted = false
            let end =
                rest[start...].firstIndex { character in
                    if character == "\"" { isQuoted.toggle() }
                    return character == "," && !isQuoted
                } ?? rest.endIndex
            var tag = rest[start..<end]
            while tag.last == " " || tag.last == "\t" { tag.removeLast() }
            tags.append(tag)
            rest = rest[end...]
        }
        return tags
    }

    /// The version that a strong tag of this server names.
    static func version(of tag: Substring) -> Int? {
        guard tag.count > 2, tag.first == "\"", tag.last == "\"" else { return nil }
        let digits = tag.dropFirst().dropLast()
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), digits.first != "0" else {
            return nil
        }
        return Int(digits)
    }
}

extension Request {
    /// What `If-Match` asks for, and without it `If-None-Match: *`, the only use that a write has for
    /// that field. Weak tags never match (strong comparison).
    var precondition: Precondition {
        let fields = headers.all("If-Match")
        guard !fields.isEmpty else {
            return EntityTag.list(headers.all("If-None-Match").joined(separator: ",")) == ["*"]
                ? .absent : .none
        }
        let tags = EntityTag.list(fields.joined(separator: ","))
        if tags == ["*"] { return .exists }
        return .versions(tags.compactMap { EntityTag.version(of: $0) })
    }

    /// Whether `If-None-Match` says that the client has this version already (weak comparison).
    func hasSeen(version: Int) -> Bool {
        let fields = headers.all("If-None-Match")
        guard !fields.isEmpty else { return false }
        let tags = EntityTag.list(fields.joined(separator: ","))
        return tags.contains { tag in
            tag == "*"
                || EntityTag.version(of: tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == version
        }
    }
}
