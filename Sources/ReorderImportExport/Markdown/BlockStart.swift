/// The start of a block of Markdown at a place in a line, as CommonMark defines it, with the
/// exceptions of `MarkdownReader`.
///
/// https://spec.commonmark.org/0.31.2/
enum BlockStart {
    /// `>`.
    case quote
    /// A bullet or number.
    case item(ListMark)
    /// `#` to `######`.
    case heading(level: Int, text: ArraySlice<UInt8>)
    /// Three or more of `-`, `*` or `_`.
    case rule
    /// Code or HTML.
    case block(MarkdownBlock.Kind)

    static let quoteMark = UInt8(ascii: ">")

    /// The paragraph that a line continues if no block starts in it.
    enum Paragraph {
        case none
        case continued
        /// It is in a container that does not contain the line.
        case lazy
    }

    /// Returns nil for blank lines and lines of text.
    init?(at place: LineCursor, interrupting paragraph: Paragraph) {
        let text = place.text
        guard let first = text.first else { return nil }
        let isIndented = place.indentation >= LineCursor.codeIndentation
        if !isIndented, first == Self.quoteMark {
            self = .quote
        } else if !isIndented, let heading = Self.heading(text) {
            self = heading
        } else if !isIndented, let fence = Fence(opening: text) {
            self = .block(.code(fence))
        } else if !isIndented, let html = HTMLBlock(opening: text) {
            self = .block(.html(html))
        } else if !isIndented, Self.isRule(text) {
            self = .rule
        } else if let mark = ListMark(at: place, interrupting: paragraph == .continued) {
            self = .item(mark)
        } else if isIndented, paragraph == .none {
            self = .block(.code(nil))
        } else {
            return nil
        }
    }

    var isContainer: Bool {
        switch self {
        case .quote, .item: true
        case .heading, .rule, .block: false
        }
    }

    private static func heading(_ text: ArraySlice<UInt8>) -> BlockStart? {
        let marks = text.prefix { $0 == Byte.numberSign }
        let rest = text[marks.endIndex...]
        guard (1...6).contains(marks.count), rest.first.map(Byte.isBlank) ?? true else {
            return nil
        }
        return .heading(level: marks.count, text: withoutClosingMarks(rest.trimmed))
    }

    /// A heading's text without closing `#` marks.
    static func withoutClosingMarks(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = text.lastIndex(where: { $0 != Byte.numberSign }) else { return [] }
        guard last < text.endIndex - 1, Byte.isBlank(text[last]) else { return text }
        return text[...last].trimmed
    }

    /// The level of the heading that a line of only `=` or `-` makes of the paragraph above it.
    static func underlineLevel(_ place: LineCursor) -> Int? {
        let text = place.text
        guard place.indentation < LineCursor.codeIndentation, let mark = text.first,
            text.allSatisfy({ $0 == mark })
        else { return nil }
        switch mark {
        case UInt8(ascii: "="): return 1
        case Byte.hyphen: return 2
        default: return nil
        }
    }

    static func isRule(_ text: ArraySlice<UInt8>) -> Bool {
        guard let mark = text.first, "-*_".utf8.contains(mark) else { return false }
        return text.count { $0 == mark } >= 3
            && text.allSatisfy { $0 == mark || Byte.isBlank($0) }
    }
}

/// The bullet or number of a list item.
struct ListMark {
    let length: Int
    let isNumber: Bool

    /// - Parameter interrupting: whether the line otherwise continues a paragraph. Then a number
    ///   other than 1 and an item without text are no marks: text can contain them by chance.
    init?(at place: LineCursor, interrupting: Bool) {
        let text = place.text
        guard let first = text.first, !BlockStart.isRule(text) else { return nil }
        if "-*+".utf8.contains(first) {
            length = 1
            isNumber = false
        } else {
            let digits = text.prefix(while: Byte.isDigit)
            guard (1...9).contains(digits.count), let end = text.dropFirst(digits.count).first,
                ".)".utf8.contains(end), !interrupting || Int(digits.text) == 1
            else { return nil }
            length = digits.count + 1
            isNumber = true
        }
        let rest = text.dropFirst(length)
        guard rest.first.map(Byte.isBlank) ?? !interrupting else { return nil }
    }
}
