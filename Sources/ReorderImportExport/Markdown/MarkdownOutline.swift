import ReorderEngine
import ReorderJSON

/// Makes a list of the blocks of a Markdown text, which come in their order, and reports those that
/// a list can't represent.
struct MarkdownOutline {
    private var builder: OutlineBuilder
    private var title: String?
    private var remarks = ImportRemarks()
    /// The last item and the items that contain it, outermost first.
    private var items: [Item] = []

    private struct Item {
        var line: Int
        /// Whether the item's task is in the list.
        var isTitled = false
    }

    init(makeID: @escaping () -> String) {
        builder = OutlineBuilder(makeID: makeID)
    }

    /// Returns nil if there are no tasks and no headings.
    consuming func makeList(untitled: String) throws(ImportError) -> ImportedList? {
        guard title != nil || !builder.isEmpty else { return nil }
        return ImportedList(
            list: try builder.makeList(title: title ?? untitled), remarks: remarks.inLineOrder)
    }

    mutating func beginItem(line: Int) {
        if items.last?.isTitled == false { addTask([]) }
        items.append(Item(line: line))
    }

    mutating func endItem() {
        if items.last?.isTitled == false { addTask([]) }
        items.removeLast()
    }

    mutating func heading(
        _ text: ArraySlice<UInt8>, level: Int, lines: ClosedRange<Int>
    ) {
        if let item = items.last {
            guard !item.isTitled else { return leaveOut("a heading inside a task", lines: lines) }
            addTask(text)
        } else {
            let text = decode(text, line: lines.lowerBound)
            if level == 1, title == nil, builder.isEmpty {
                title = text
            } else {
                builder.beginSection(text)
            }
        }
    }

    mutating func paragraph(
        _ text: ArraySlice<UInt8>, lines: ClosedRange<Int>
    ) {
        guard !text.isEmpty else { return }
        if let item = items.last {
            guard !item.isTitled else { return leaveOut("a paragraph of a task", lines: lines) }
            addTask(text)
        } else {
            leaveOut("text outside tasks", lines: lines)
        }
    }

    /// A block of code or HTML or a table.
    mutating func block(
        _ what: String, firstLine: [UInt8], lines: ClosedRange<Int>
    ) {
        guard items.last?.isTitled == false, !firstLine.isEmpty else {
            return leaveOut(what, lines: lines)
        }
        addTask(firstLine[...], isLiteral: true)
        if lines.count > 1 { leaveOut("\(what), except its first line", lines: lines) }
    }

    mutating func leaveOut(_ what: String, lines: ClosedRange<Int>) {
        remarks.add(.leftOut, what, lines: lines)
    }

    /// Adds the task of the last item.
    private mutating func addTask(
        _ text: ArraySlice<UInt8>, isLiteral: Bool = false
    ) {
        let last = items.count - 1
        let line = items[last].line
        items[last].isTitled = true
        let (done, text) = isLiteral ? (false, text) : Self.withoutCheckbox(text)
        builder.addTask(
            isLiteral ? remarks.shorten(text.text, line: line) : decode(text, line: line),
            depth: remarks.limit(depth: last, line: line), done: done)
    }

    private static func withoutCheckbox(
        _ text: ArraySlice<UInt8>
    ) -> (done: Bool, text: ArraySlice<UInt8>) {
        let rest = text.dropFirst(3)
        guard rest.first.map({ Byte.isBlank($0) || $0 == Byte.lineFeed }) ?? true else {
            return (false, text)
        }
        let title = rest.drop { Byte.isBlank($0) || $0 == Byte.lineFeed }
        switch text.prefix(3).text {
        case "[ ]": return (false, title)
        case "[x]", "[X]": return (true, title)
        default: return (false, text)
        }
    }

    private mutating func decode(_ text: ArraySlice<UInt8>, line: Int) -> String {
        // No escape is longer than 12 bytes, so that longer titles are too long in any case.
        remarks.shorten(MarkdownText.decode(text.prefix(16 * FormLimits.titleBytes)), line: line)
    }
}
