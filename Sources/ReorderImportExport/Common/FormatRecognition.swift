import ReorderJSON

extension ListFileFormat {
    /// Recognizes a file by the bytes at its beginning; nil if it has no known format.
    ///
    /// Marks that only one format has decide first. The name's extension decides only between
    /// formats that the content allows.
    package init?(recognizing start: [UInt8], fileName: String) {
        let utf8 = (try? InputLines.utf8(start)) ?? start
        let bytes = InputLines.withoutByteOrderMark(utf8)
        let lines = bytes.split(maxSplits: 400, omittingEmptySubsequences: true) {
            $0 == Byte.lineFeed || $0 == Byte.carriageReturn
        }.prefix(400).map(\.trimmed).filter { !$0.isEmpty }
        let hint = ListFileFormat(fileName: fileName)
        let known = Self.marked(bytes, lines) ?? (hint?.needsMark == false ? hint : nil)
        guard let format = known ?? Self.likely(lines) ?? hint else { return nil }
        self = format
    }

    /// Whether every file of this format, unless it is empty, has a mark.
    private var needsMark: Bool { self != .markdown }

    /// The format of which the content has a mark that no other format has.
    private static func marked(_ bytes: ArraySlice<UInt8>, _ lines: [ArraySlice<UInt8>]) -> Self? {
        guard let first = lines.first, let byte = first.first else { return nil }
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
            return json(members: JSONMemberScan.outermostNames(in: bytes))
        }
        var records = CSVReader(bytes)
        let header = try? records.next()?.fields.map { $0.trimmed.uppercased() }
        return header.map { $0.contains("TYPE") && $0.contains("CONTENT") } == true ? .todoist : nil
    }

    private static func json(members: Set<String>) -> Self? {
        members.contains("title") || members.contains("tasks") ? .json : nil
    }

    /// The format of a text by its first lines.
    private static func likely(_ lines: [ArraySlice<UInt8>]) -> Self? {
        let isMarkdown = lines.contains { line in
            let text = line.text
            return ["- ", "* ", "+ ", "# ", "## ", "### "].contains { text.hasPrefix($0) }
                || text.prefix { $0.isNumber }.count == 1 && text.dropFirst().hasPrefix(". ")
        }
        return isMarkdown ? .markdown : nil
    }
}

/// Finds names in JSON that may be cut off.
enum JSONMemberScan {
    /// The names of the members of the outermost object, or of the objects in the outermost array.
    static func outermostNames(in bytes: ArraySlice<UInt8>) -> Set<String> {
        var names: Set<String> = []
        var level = 0
        let objectLevel = bytes.first { !Byte.isBlank($0) } == UInt8(ascii: "[") ? 2 : 1
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): level += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): level -= 1
            case Byte.quote:
                let start = index + 1
                index = start
                while index < bytes.endIndex, bytes[index] != Byte.quote {
                    index += bytes[index] == Byte.backslash ? 2 : 1
                }
                guard index < bytes.endIndex else { return names }
                let rest = bytes[(index + 1)...].first { !Byte.isBlank($0) }
                if level == objectLevel, rest == UInt8(ascii: ":") {
                    names.insert(bytes[start..<index].text)
                }
            default: break
            }
            if level == 0 { break }
            index += 1
        }
        return names
    }
}
