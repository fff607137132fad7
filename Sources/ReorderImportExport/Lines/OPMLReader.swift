/// Reads the outlines of OPML: each is a task, nested as in the file.
///
/// The text is the title, `_note` the notes, `url` or `htmlUrl` the URL, `category` the labels;
/// Workflowy's `_complete` and OmniOutliner's `_status` mean done. `due`, `priority` and outlines of
/// the type `section` are those of `OPMLWriter`. Other attributes are reported.
struct OPMLReader {
    private var list: SourceList
    private var unused = LeftOutNames()
    /// The names of the open elements, and whether they are outlines.
    private var open: [(name: String, line: Int)] = []
    private var hasTitle = false
    private var depth = 0

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
        reader.unused.report("of outlines", &reader.list.remarks)
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
                for attribute in attributes where name != "opml" {
                    unused.add(attribute.name, lines)
                }
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
        if name == "outline" { depth -= 1 }
    }

    private mutating func add(
        _ attributes: [(name: String, value: String)], _ lines: ClosedRange<Int>
    ) {
        if depth == 0, attributes.contains(where: { $0 == ("type", OPMLWriter.sectionType) }) {
            list.beginSection(
                attributes.first { $0.name == "text" }?.value ?? "", line: lines.lowerBound)
            for (name, _) in attributes where !["text", "type"].contains(name) {
                unused.add(name, lines)
            }
            return
        }
        var task = SourceTask(line: lines.lowerBound)
        task.lines = lines
        task.title =
            attributes.first { $0.name == "text" }?.value
            ?? attributes.first { $0.name == "title" }?.value ?? ""
        for (name, value) in attributes where !value.isEmpty {
            switch name {
            case "text" where value == task.title: break
            case "title" where value == task.title: break
            case "_note", "note": task.addNote(value)
            case "_complete", "complete", "checked", "_status":
                guard let done = value == "unchecked" ? false : TableWords.done(value) else {
                    unused.add(name, lines)
                    continue
                }
                task.done = task.done || done
            case "due" where DueDate.parse(value) != nil: task.due = DueDate.parse(value) ?? ""
            case "priority" where ["1", "2", "3"].contains(value): task.priority = Int(value)
            case "category": task.labels += value.separatedTexts
            case "url" where task.url.isEmpty, "htmlUrl" where task.url.isEmpty: task.url = value
            default: unused.add(name, lines)
            }
        }
        list.add(task, level: depth)
    }
}
