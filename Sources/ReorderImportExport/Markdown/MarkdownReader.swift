import ReorderEngine
import ReorderJSON

/// Reads a Markdown task list.
///
/// - The first `#` heading, before anything else, is the list's title. Every other heading, of any
///   level, begins a section; sections do not nest.
/// - A bullet (`-`, `*`, `+`) or number (`1.`, `1)`) is a task; `[x]` after it means done, no
///   checkbox means not done. It is a subtask of the last task that is at least two columns further
///   left; a tab advances to the next multiple of 4 columns.
/// - A line of text directly below a task continues its title.
/// - Blank lines, rules and comments are ignored. All other text (paragraphs, tables, quotes, code
///   blocks, front matter) is skipped and reported.
struct MarkdownReader {
    private var builder: OutlineBuilder
    private var title: (text: String, line: Int)?
    private var leftOut: [LeftOut] = []
    private var item: Item?
    /// The columns of the last task and its ancestors.
    private var columns: [Int] = []
    /// The previous line, if it is text outside tasks.
    private var paragraph: ArraySlice<UInt8>?

    /// A task whose title may continue.
    private struct Item {
        var column: Int
        var done: Bool
        var text: [UInt8]
        var line: Int
        /// Whether the previous line is part of the title.
        var isOpen = true
    }

    static func read(
        _ bytes: [UInt8], untitled: String, makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList {
        let lines = try InputLines(bytes).lines
        var reader = MarkdownReader(builder: OutlineBuilder(makeID: makeID))
        return try reader.read(lines, untitled: untitled)
    }

    private init(builder: OutlineBuilder) {
        self.builder = builder
    }

    private mutating func read(
        _ lines: [ArraySlice<UInt8>], untitled: String
    ) throws(ImportError) -> ImportedList {
        var index = frontMatterEnd(of: lines)
        while index < lines.count {
            index = try read(lines, at: index)
        }
        try endItem()
        guard title != nil || !builder.isEmpty else {
            throw ImportError(reason: "The file contains no tasks and no headings.")
        }
        let list = try builder.makeList(title: title?.text ?? untitled, line: title?.line)
        return ImportedList(id: nil, list: list, leftOut: leftOut)
    }

    /// Reads a line, or a block that begins with it, and returns the index of the line after it.
    private mutating func read(
        _ lines: [ArraySlice<UInt8>], at index: Int
    ) throws(ImportError) -> Int {
        let number = index + 1
        let above = paragraph
        paragraph = nil
        switch MarkdownLine(lines[index]) {
        case .blank:
            item?.isOpen = false
        case .heading(let level, let text):
            try heading(level, text, line: number)
        case .underline(let level) where above != nil:
            leftOut.remove(line: number - 1)
            try heading(level, above?.trimmed ?? [], line: number - 1)
        case .item(let column, let done, let text):
            try endItem()
            item = Item(column: column, done: done, text: Array(text), line: number)
        case .underline(level: 2), .rule:
            item?.isOpen = false
        case .fence(let mark, let count, _):
            let end = lines[(index + 1)...].firstIndex {
                guard case .fence(mark, let closing, true) = MarkdownLine($0) else { return false }
                return closing >= count
            }
            item?.isOpen = false
            return leaveOut("a code block", from: index, to: end ?? lines.count - 1)
        case .comment:
            let end = lines[index...].firstIndex { $0.contains("-->".utf8) }
            item?.isOpen = false
            guard let end else {
                return leaveOut("a comment without an end", from: index, to: lines.count - 1)
            }
            return end + 1
        case .underline, .text:
            if item?.isOpen == true, lines[index].trimmed.first != UInt8(ascii: ">") {
                item?.text += [Byte.space] + lines[index].trimmed
            } else {
                item?.isOpen = false
                paragraph = lines[index]
                return leaveOut("text outside tasks", from: index, to: index)
            }
        }
        return index + 1
    }

    private mutating func heading(
        _ level: Int, _ text: ArraySlice<UInt8>, line: Int
    ) throws(ImportError) {
        try endItem()
        let text = try decode(text, line: line)
        if level == 1, title == nil, builder.isEmpty {
            title = (text, line)
        } else {
            try builder.beginSection(text, line: line)
            columns = []
        }
    }

    private mutating func endItem() throws(ImportError) {
        guard let item else { return }
        self.item = nil
        while let column = columns.last, item.column < column + 2 { columns.removeLast() }
        try builder.addTask(
            try decode(item.text[...], line: item.line), depth: columns.count, done: item.done,
            line: item.line)
        columns.append(item.column)
    }

    private func decode(
        _ text: ArraySlice<UInt8>, line: Int
    ) throws(ImportError) -> String {
        // Escapes make a text longer, but never this much.
        guard text.count <= 16 * FormLimits.titleBytes else {
            throw ImportError(
                line: line,
                reason: "A title must have at most \(FormLimits.titleBytes) bytes of UTF-8.")
        }
        return MarkdownText.decode(text)
    }

    // MARK: Skipped content

    /// The index of the first line after front matter, which some editors write at the top.
    private mutating func frontMatterEnd(of lines: [ArraySlice<UInt8>]) -> Int {
        guard lines.first?.text == "---",
            let end = lines.dropFirst().firstIndex(where: { ["---", "..."].contains($0.text) })
        else { return 0 }
        return leaveOut("front matter", from: 0, to: end)
    }

    private mutating func leaveOut(_ what: String, from start: Int, to end: Int) -> Int {
        if let last = leftOut.last, last.what == what, last.lines.upperBound == start {
            leftOut[leftOut.count - 1].lines = last.lines.lowerBound...(end + 1)
        } else {
            leftOut.append(LeftOut(lines: (start + 1)...(end + 1), what: what))
        }
        return end + 1
    }
}

extension [LeftOut] {
    /// Removes the last skipped line from the report.
    fileprivate mutating func remove(line: Int) {
        guard let last = popLast() else { return }
        if last.lines.lowerBound < line {
            append(LeftOut(lines: last.lines.lowerBound...(line - 1), what: last.what))
        }
    }
}
