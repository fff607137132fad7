/// The kind of a line of Markdown, as far as task lists use it.
enum MarkdownLine: Equatable {
    case blank
    /// `#` to `######`.
    case heading(level: Int, text: ArraySlice<UInt8>)
    /// A bullet or number, with or without a checkbox; `column` is the bullet's.
    case item(column: Int, done: Bool, text: ArraySlice<UInt8>)
    /// Three or more of `-`, `*` or `_`.
    case rule
    /// A line of only `=` or `-`, which makes the text above it a heading.
    case underline(level: Int)
    /// The beginning or end of a code block.
    case fence(mark: UInt8, count: Int, isBare: Bool)
    case comment
    case text

    init(_ line: ArraySlice<UInt8>) {
        let (column, content) = Self.indentation(of: line)
        guard let first = content.first else {
            self = .blank
            return
        }
        if let heading = Self.heading(content), column < 4 {
            self = heading
        } else if let level = Self.underline(content), column < 4 {
            self = .underline(level: level)
        } else if Self.isRule(content) {
            self = .rule
        } else if let item = Self.item(content, column: column) {
            self = item
        } else if let fence = Self.fence(content, mark: first) {
            self = fence
        } else if content.starts(with: "<!--".utf8) {
            self = .comment
        } else {
            self = .text
        }
    }

    /// The column of a line's text (a tab advances to the next multiple of 4), and the text without
    /// trailing blanks.
    private static func indentation(of line: ArraySlice<UInt8>) -> (Int, ArraySlice<UInt8>) {
        var column = 0
        for byte in line.prefix(while: Byte.isBlank) {
            column += byte == Byte.tab ? 4 - column % 4 : 1
        }
        return (column, line.trimmed)
    }

    private static func heading(_ content: ArraySlice<UInt8>) -> MarkdownLine? {
        let marks = content.prefix { $0 == Byte.numberSign }
        let rest = content[marks.endIndex...]
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

    private static func item(_ content: ArraySlice<UInt8>, column: Int) -> MarkdownLine? {
        guard let rest = afterBullet(content), rest.first.map(Byte.isBlank) ?? true else {
            return nil
        }
        let text = rest.trimmed
        guard let (done, rest) = afterBox(text) else {
            return .item(column: column, done: false, text: text)
        }
        return .item(column: column, done: done, text: rest.trimmed)
    }

    private static func afterBullet(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if let first = content.first, "-*+".utf8.contains(first) { return content.dropFirst() }
        let digits = content.prefix(while: Byte.isDigit)
        let rest = content[digits.endIndex...]
        guard (1...9).contains(digits.count), let mark = rest.first, ".)".utf8.contains(mark)
        else { return nil }
        return rest.dropFirst()
    }

    private static func afterBox(_ text: ArraySlice<UInt8>) -> (Bool, ArraySlice<UInt8>)? {
        let rest = text.dropFirst(3)
        guard rest.first.map(Byte.isBlank) ?? true else { return nil }
        switch text.prefix(3).text {
        case "[ ]": return (false, rest)
        case "[x]", "[X]": return (true, rest)
        default: return nil
        }
    }

    private static func underline(_ content: ArraySlice<UInt8>) -> Int? {
        guard let mark = content.first, content.allSatisfy({ $0 == mark }) else { return nil }
        switch mark {
        case UInt8(ascii: "="): return 1
        // A single hyphen is an item without text.
        case Byte.hyphen where content.count > 1: return 2
        default: return nil
        }
    }

    private static func isRule(_ content: ArraySlice<UInt8>) -> Bool {
        guard let mark = content.first, "-*_".utf8.contains(mark) else { return false }
        return content.count { $0 == mark } >= 3
            && content.allSatisfy { $0 == mark || Byte.isBlank($0) }
    }

    private static func fence(_ content: ArraySlice<UInt8>, mark: UInt8) -> MarkdownLine? {
        guard mark == Byte.backtick || mark == UInt8(ascii: "~") else { return nil }
        let marks = content.prefix { $0 == mark }
        let rest = content[marks.endIndex...]
        guard marks.count >= 3, mark != Byte.backtick || !rest.contains(mark) else { return nil }
        return .fence(mark: mark, count: marks.count, isBare: rest.isEmpty)
    }
}
