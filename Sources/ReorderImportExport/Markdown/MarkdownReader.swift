import ReorderEngine

/// Reads a Markdown task list.
///
/// - The first `#` heading, before anything else, is the list's title. Every other heading, of any
///   level, begins a section; sections do not nest.
/// - A list item is a task, and an item inside it is a subtask; `[x]` after the bullet or number
///   means done, no checkbox means not done.
/// - The first paragraph or heading of an item is the task's title. If an item begins with code,
///   HTML or a table, the first line of that block is the title.
/// - The content of quotes is read as if it had no `>`.
/// - All other content (paragraphs, code, tables, HTML, comments, rules, front matter) is left out
///   and reported.
///
/// Blocks begin and end as in CommonMark, and tables as on GitHub, with three exceptions. They keep
/// items that people indent by eye, which a parser of CommonMark adds to the title above or treats
/// as code; therefore this is not left to a library.
///
/// - A bullet needs only two columns more than the mark of the item that contains it.
/// - A bullet or number with four or more columns of blanks before or after it is an item, not code.
/// - A line with a single tag that is not of a block element is text (see `HTMLBlock`).
///
/// Takes O(length) time and memory.
struct MarkdownReader {
    /// Tasks have at most 16 levels. Marks in more containers are text, so that the time for a line
    /// is bounded.
    private static let maximumContainers = 64

    private var outline: MarkdownOutline
    private var containers: [MarkdownContainer] = []
    /// The last block without blocks inside, if the next line can belong to it.
    private var block: MarkdownBlock?

    /// Returns nil if the text has no tasks and no headings.
    static func read(
        _ bytes: [UInt8], untitled: String, makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList? {
        let lines = try InputLines(bytes).lines
        var reader = MarkdownReader(outline: MarkdownOutline(makeID: makeID))
        for index in reader.frontMatterEnd(of: lines)..<lines.count {
            reader.read(lines[index], number: index + 1)
        }
        reader.endBlock(isEndOfFile: true)
        reader.endContainers(from: 0)
        return try reader.outline.makeList(untitled: untitled)
    }

    private init(outline: MarkdownOutline) {
        self.outline = outline
    }

    /// The index of the first line after front matter, which some editors write at the top.
    private mutating func frontMatterEnd(of lines: [ArraySlice<UInt8>]) -> Int {
        guard lines.first?.text == "---",
            let end = lines.dropFirst().firstIndex(where: { ["---", "..."].contains($0.text) })
        else { return 0 }
        outline.leaveOut("front matter", lines: 1...(end + 1))
        return end + 1
    }

    private mutating func read(_ line: ArraySlice<UInt8>, number: Int) {
        var place = LineCursor(line)
        // The number of containers that contain the line.
        var depth = skipContainers(&place)
        if depth == containers.count, continueBlock(at: place, number) { return }
        if depth == containers.count, block?.isParagraph == true,
            let level = BlockStart.underlineLevel(place)
        {
            return endParagraph(asHeading: level, number)
        }
        while let start = start(at: place, depth: depth) {
            end(to: depth)
            addContent()
            switch start {
            case .quote:
                containers.append(MarkdownContainer(quoteAt: &place))
            case .item(let mark):
                containers.append(MarkdownContainer(mark, at: &place))
                outline.beginItem(line: number)
            case .heading(let level, let text):
                return outline.heading(text, level: level, lines: number...number)
            case .rule:
                return outline.leaveOut("a rule", lines: number...number)
            case .block(let kind):
                block = MarkdownBlock(kind, number, at: place)
                if case .html(let html) = kind, html.ends(with: place.rest) { endBlock() }
                return
            }
            depth += 1
        }
        readText(at: place, number, depth: depth)
    }

    private func start(at place: LineCursor, depth: Int) -> BlockStart? {
        let paragraph: BlockStart.Paragraph =
            block?.isParagraph != true ? .none : depth == containers.count ? .continued : .lazy
        let start = BlockStart(at: place, interrupting: paragraph)
        return depth < Self.maximumContainers || start?.isContainer != true ? start : nil
    }

    /// Reads a line, or the rest of one, that starts no block except a paragraph.
    private mutating func readText(at place: LineCursor, _ number: Int, depth: Int) {
        guard !place.isBlank else { return end(to: depth) }
        // A paragraph continues also in a line outside its containers.
        if block?.isParagraph == true {
            if depth == containers.count, block?.isTableHead(above: place) == true {
                let head = block?.removeLastLine()
                endBlock()
                block = head
            }
            block?.append(place, number)
        } else if depth == containers.count, case .table? = block?.kind {
            block?.append(place, number)
        } else {
            end(to: depth)
            addContent()
            block = MarkdownBlock(.paragraph, number, at: place)
        }
    }

    // MARK: Containers

    /// Advances past the marks and indentation of the containers that contain the line, and returns
    /// their number.
    private mutating func skipContainers(_ place: inout LineCursor) -> Int {
        let interrupting = block?.isParagraph == true
        let isText = interrupting || block?.isLiteral != true
        for index in containers.indices
        where !containers[index].skip(&place, interrupting: interrupting, isText: isText) {
            return index
        }
        return containers.count
    }

    private mutating func addContent() {
        if let last = containers.indices.last { containers[last].hasContent = true }
    }

    private mutating func end(to depth: Int) {
        endBlock()
        endContainers(from: depth)
    }

    private mutating func endContainers(from depth: Int) {
        while containers.count > depth {
            if containers.removeLast().isItem { outline.endItem() }
        }
    }

    // MARK: Blocks

    /// Adds a line to a block of code or HTML, or ends the block. Returns false if the line is not
    /// part of it.
    private mutating func continueBlock(
        at place: LineCursor, _ number: Int
    ) -> Bool {
        switch block?.kind {
        case .code(let fence?):
            block?.append(place, number)
            if fence.isClosed(by: place) { endBlock() }
            return true
        case .code(nil):
            if place.isBlank { return true }
            guard place.indentation >= LineCursor.codeIndentation else { return false }
            block?.append(place, number)
            return true
        case .html(let html):
            if case .blankLine = html.end, place.isBlank { return false }
            block?.append(place, number)
            if html.ends(with: place.rest) { endBlock() }
            return true
        default: return false
        }
    }

    private mutating func endParagraph(
        asHeading level: Int, _ number: Int
    ) {
        guard let paragraph = block else { return }
        block = nil
        outline.heading(
            paragraph.text[...], level: level, lines: paragraph.lines.lowerBound...number)
    }

    private mutating func endBlock(isEndOfFile: Bool = false) {
        guard let block else { return }
        self.block = nil
        let ending = isEndOfFile && block.needsEnd ? " without an end" : ""
        switch block.kind {
        case .paragraph:
            outline.paragraph(block.text[...], lines: block.lines)
        case .table:
            outline.block("a table", firstLine: block.text, lines: block.lines)
        case .code:
            outline.block(
                "a code block" + ending, firstLine: block.text, lines: block.lines)
        case .html(let html) where html.isComment:
            outline.leaveOut("a comment" + ending, lines: block.lines)
        case .html:
            outline.block("HTML" + ending, firstLine: block.text, lines: block.lines)
        }
    }
}
