extension Request {
    /// The tags of `If-None-Match`, without the prefix of weak tags; nil without this field.
    package var seenTags: [Substring]? {
        guard headers.contains("If-None-Match") else { return nil }
        return EntityTagList.tags(in: headers.all("If-None-Match").joined(separator: ",")).map {
            $0.hasPrefix("W/") ? $0.dropFirst(2) : $0
        }
    }
}

/// A list of entity tags (RFC 9110, section 13.1).
package enum EntityTagList {
    /// Splits an `If-Match` or `If-None-Match` field into its tags, unchanged.
    ///
    /// A comma in quotes is part of the tag.
    package static func tags(in field: String) -> [Substring] {
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
}
