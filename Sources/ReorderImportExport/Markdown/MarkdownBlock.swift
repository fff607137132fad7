/// A block of Markdown without blocks inside, of which one or more lines are read.
struct MarkdownBlock {
    enum Kind {
        case paragraph
        case table
        /// Without a fence, it is indented.
        case code(Fence?)
        case html(HTMLBlock)
    }

    private(set) var kind: Kind
    private(set) var lines: ClosedRange<Int>
    /// The lines of a paragraph, separated by line feeds; otherwise the first line that is not
    /// blank. Without blanks at the ends of lines.
    private(set) var text: [UInt8]

    init(_ kind: Kind, _ line: Int, at place: LineCursor) {
        self.kind = kind
        lines = line...line
        // The first line of a fenced block is its fence.
        if case .code(_?) = kind { text = [] } else { text = Array(place.text) }
    }

    var isParagraph: Bool {
        if case .paragraph = kind { true } else { false }
    }

    /// Whether marks of other blocks have no meaning inside.
    var isLiteral: Bool {
        switch kind {
        case .code, .html: true
        case .paragraph, .table: false
        }
    }

    /// Whether a fence, a tag or another text must end the block.
    var needsEnd: Bool {
        switch kind {
        case .code(let fence): fence != nil
        case .html(let html):
            if case .text = html.end { true } else { false }
        case .paragraph, .table: false
        }
    }

    mutating func append(_ place: LineCursor, _ line: Int) {
        lines = lines.lowerBound...line
        if isParagraph {
            text.append(Byte.lineFeed)
            text += place.text
        } else if text.isEmpty, !isEnd(place) {
            text = Array(place.text)
        }
    }

    private func isEnd(_ place: LineCursor) -> Bool {
        if case .code(let fence?) = kind { fence.isClosed(by: place) } else { false }
    }

    /// Whether the next line makes the last line of this paragraph the head of a table.
    func isTableHead(above place: LineCursor) -> Bool {
        TableRow.isDelimiter(place.text, below: lastLine)
    }

    private var lastLine: ArraySlice<UInt8> {
        text.lastIndex(of: Byte.lineFeed).map { text[($0 + 1)...] } ?? text[...]
    }

    /// Removes the last line of the paragraph, and returns the table that begins with it. A
    /// paragraph of one line is empty afterwards.
    mutating func removeLastLine() -> MarkdownBlock {
        var table = self
        table.kind = .table
        table.text = Array(lastLine)
        table.lines = lines.upperBound...lines.upperBound
        text.removeLast(min(text.count, table.text.count + 1))
        if lines.count > 1 { lines = lines.lowerBound...(lines.upperBound - 1) }
        return table
    }
}
