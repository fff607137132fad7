/// Reads the outlines of OPML: each is a task, nested as in the file.
///
/// The text is the title, `_note` the notes, `category` the labels; Workflowy's `_complete` and
/// OmniOutliner's `_status` mean done. An outline of the type `section` at the top is a section.
/// Outlines after it come before the sections, where the tasks without a section are.
/// Other attributes are reported.
struct OPMLReader {
    private var list: SourceList
    /// The names of the open elements, and their first lines.
    private var open: [(name: String, line: Int)] = []
    /// The number of outlines among them.
    private var depth = 0
    private var hasTitle = false

    private static let roles: [String: TableRole] = [
        "text": .title, "title": .title, "_note": .notes, "note": .notes, "_complete": .done,
        "complete": .done, "checked": .done, "_status": .done, "due": .due, "category": .labels,
        "priority": .priority, "url": .url, "htmlUrl": .url, "xmlUrl": .url,
    ]

    static func read(
        _ bytes: [UInt8], untitled: String, makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList? {
        _ = try InputLines(bytes)
        var reader = OPMLReader(list: SourceList(title: untitled))
        var scanner = XMLScanner(InputLines.withoutByteOrderMark(bytes))
        while let (event, lines) = try scanner.next() { try reader.read(event, lines) }
        if let open = reader.open.last {
            throw ImportError(line: open.line, reason: "The element \(open.name) is not closed.")
        }
        return try reader.list.makeList(makeID: makeID)
    }

    private init(list: SourceList) { self.list = list }

    private mutating func read(
        _ event: XMLScanner.Event, _ lines: ClosedRange<Int>
    ) throws(ImportError) {
        switch event {
        case .start(let name, let attributes, let isEmpty):
            if open.isEmpty, name != "opml" {
                throw ImportError(
                    line: lines.lowerBound, reason: "The outermost element must be opml.")
            }
            if name == "outline" {
                add(attributes, lines)
                depth += 1
            } else {
                if !["opml", "head", "body", "title"].contains(name) {
                    list.leaveOut("the element \(name)", lines)
                }
                if name != "opml" { list.leftOut.add(properties: attributes.map(\.name), lines) }
            }
            open.append((name, lines.lowerBound))
            if isEmpty { try end(name, lines) }
        case .end(let name): try end(name, lines)
        case .comment: list.leaveOut("a comment", lines)
        case .text(let text):
            let text = text.trimmed
            guard !text.allSatisfy(\.isWhitespace) else { return }
            let name = open.last?.name ?? ""
            if name == "title", !hasTitle {
                hasTitle = true
                list.title = text
            } else {
                let isOther = !["", "opml", "head", "body", "title", "outline"].contains(name)
                list.leaveOut(isOther ? "the element \(name)" : "text outside outlines", lines)
            }
        }
    }

    private mutating func end(_ name: String, _ lines: ClosedRange<Int>) throws(ImportError) {
        guard open.popLast()?.name == name else {
            throw ImportError(
                line: lines.lowerBound, reason: "The element \(name.prefix(64)) is not open here.")
        }
        guard name == "outline" else { return }
        depth -= 1
        if depth == 0 { list.endSection() }
    }

    private mutating func add(
        _ attributes: [(name: String, value: String)], _ lines: ClosedRange<Int>
    ) {
        let isSection = depth == 0 && attributes.contains { $0 == ("type", OPMLWriter.sectionType) }
        var task = SourceTask(line: lines.lowerBound)
        task.lines = lines
        for (name, value) in attributes where !value.isEmpty {
            if let role = Self.roles[name] {
                task.set(role, value, name: name)
            } else if !isSection || name != "type" {
                task.leftOut.append(name)
            }
        }
        guard isSection else {
            if depth == 0, !list.sections.isEmpty {
                list.remarks.add(.changed, "the place of a task after sections", lines: lines)
            }
            list.add(task, level: depth)
            return
        }
        list.beginSection(task.title, line: lines.lowerBound)
        let others = attributes.map(\.name).filter { !["text", "type"].contains($0) }
        if !others.isEmpty {
            list.leaveOut("\(others.joined(separator: ", ")) of a section", lines)
        }
    }
}
