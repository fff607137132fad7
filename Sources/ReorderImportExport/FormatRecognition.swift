import ReorderJSON

extension ListFileFormat {
    /// Recognizes a file by the bytes at its beginning; nil if it has no known format.
    ///
    /// Marks that only one format has decide first. The name's extension decides only between
    /// formats that the content allows.
    package init?(recognizing start: [UInt8], fileName: String) {
        // The beginning perhaps ends inside a character of UTF-16.
        let utf8 =
            (try? InputLines.utf8(start)) ?? (try? InputLines.utf8(start.dropLast(2))) ?? start
        let bytes = InputLines.withoutByteOrderMark(utf8)
        let lines = bytes.split(maxSplits: 400, omittingEmptySubsequences: true) {
            $0 == Byte.lineFeed || $0 == Byte.carriageReturn
        }.prefix(400).map(\.trimmed).filter { !$0.isEmpty }
        let hint = ListFileFormat(fileName: fileName)
        let known =
            Self.marked(bytes, lines, hint) ?? (hint?.allows(lines) == true ? hint : nil)
        guard let format = known ?? Self.likely(lines, hint) ?? hint else { return nil }
        self = format
    }

    /// Whether a text without a mark can have this format.
    private func allows(_ lines: [ArraySlice<UInt8>]) -> Bool {
        switch self {
        case .markdown, .taskPaper, .org: true
        case .csv:
            lines.first.map { line in
                line.contains { ",;\t".utf8.contains($0) } && Self.likely([line], nil) != .markdown
            } ?? true
        default: false
        }
    }

    /// The format of which the content has a mark that no other format has.
    private static func marked(
        _ bytes: ArraySlice<UInt8>, _ lines: [ArraySlice<UInt8>], _ hint: Self?
    ) -> Self? {
        guard let first = lines.first, let byte = first.first else { return nil }
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
            return json(members: JSONMemberScan.outermostNames(in: bytes))
        }
        let start = first.text.uppercased()
        if ["BEGIN:VCALENDAR", "BEGIN:VTODO"].contains(start) { return .ics }
        if byte == UInt8(ascii: "<"),
            lines.prefix(64).contains(where: { $0.text.contains("<opml") })
        {
            return .opml
        }
        var records = CSVReader(bytes)
        // Not the title of a list in Markdown.
        guard byte != Byte.numberSign, canBeTable(records, hint) else { return nil }
        for _ in 0..<TableReader.maximumPreamble {
            guard let fields = try? records.next()?.fields else { break }
            if let known = KnownTable.of(fields) {
                return known.program == "todoist" ? .todoist : .csv
            }
        }
        return nil
    }

    private static func json(members: Set<String>) -> Self? {
        let marks: [(ListFileFormat, [String])] = [
            (.trello, ["labelNames", "prefs"]), (.trello, ["cards", "lists"]),
            (.googleTasks, ["kind", "items"]), (.deck, ["boards"]), (.deck, ["stacks"]),
            (.vikunja, ["parent_project_id"]), (.vikunja, ["hex_color", "tasks"]),
            (.vikunja, ["hex_color", "projects"]), (.vikunja, ["hex_color", "lists"]),
            (.microsoftToDo, ["displayName", "tasks"]), (.microsoftToDo, ["value"]),
            (.json, ["title"]), (.json, ["tasks"]),
        ]
        return marks.first { members.isSuperset(of: $0.1) }?.0
    }

    /// Spreadsheets write tables with tabs to `.txt`. In other such files, a line with commas is a task.
    private static func canBeTable(_ records: CSVReader, _ hint: Self?) -> Bool {
        hint != .todoTxt || records.delimiter == Byte.tab
    }

    /// The format of a text by its first lines.
    private static func likely(_ lines: [ArraySlice<UInt8>], _ hint: Self?) -> Self? {
        let texts = lines.map(\.text)
        if texts.contains(where: isOrg) { return .org }
        if texts.contains(where: { text in ["- [ ] ", "- [x] "].contains { text.hasPrefix($0) } }) {
            return .markdown
        }
        let hasTags = texts.contains { $0.hasPrefix("- ") && $0.contains(" @") }
        if hasTags, texts.contains(where: { $0.hasSuffix(":") }) { return .taskPaper }
        let isMarkdown = texts.contains { text in
            ["- ", "* ", "+ ", "# ", "## ", "### "].contains { text.hasPrefix($0) }
                || text.utf8.first.map(Byte.isDigit) == true && text.dropFirst().hasPrefix(". ")
        }
        if isMarkdown { return .markdown }
        if texts.contains(where: isTodoTxt) { return .todoTxt }
        var records = CSVReader(lines.first ?? [])
        let header = (try? records.next()?.fields) ?? []
        let columns = TableColumns(proposedFor: header).names
        return columns.count > 1 && columns[.title] != nil && canBeTable(records, hint) ? .csv : nil
    }
}

extension ListFileFormat {
    private static func isOrg(_ line: String) -> Bool {
        let heading = line.drop { $0 == "*" }
        return line.hasPrefix("** ") || line.hasPrefix("*** ")
            || line.uppercased() == ":PROPERTIES:"
            || line.uppercased().hasPrefix("#+TITLE:")
            || line.hasPrefix("*") && (heading.hasPrefix(" TODO ") || heading.hasPrefix(" DONE "))
    }

    private static func isTodoTxt(_ line: String) -> Bool {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count > 1 else { return false }
        let isDate = words[0].count == 10 && DueDate.parse(String(words[0])) != nil
        let isPriority =
            words[0].count == 3 && words[0].first == "(" && words[0].last == ")"
            && words[0].dropFirst().first?.isUppercase == true
        return isDate || isPriority
            || words[0] == "x" && words[1].count == 10 && DueDate.parse(String(words[1])) != nil
            || line.split(separator: " ").last.map {
                $0.count > 1 && "+@".contains($0.first ?? " ")
            } == true
                && !"-*".contains(line.first ?? " ")
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
            index += 1
        }
        return names
    }
}
