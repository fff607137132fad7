/// A block of Markdown that contains blocks: a quote or a list item.
struct MarkdownContainer {
    private enum Kind {
        case quote
        case item(Item)
    }

    private struct Item {
        /// The columns of blanks before the mark.
        var indentation: Int
        /// The columns of blanks with which a line belongs to the item.
        var contentIndentation: Int
        var isNumbered: Bool
    }

    private var kind: Kind
    /// An item that begins with a blank line ends with the next blank line, unless it has content.
    var hasContent = false

    var isItem: Bool {
        if case .item = kind { true } else { false }
    }

    init(quoteAt place: inout LineCursor) {
        kind = .quote
        Self.skipQuoteMark(&place)
    }

    init(_ mark: ListMark, at place: inout LineCursor) {
        let indentation = place.indentation
        place.skipBlanks(columns: indentation)
        place.skip(bytes: mark.length)
        let blanks = place.isBlank ? 1 : place.indentation
        place.skipBlanks(columns: blanks)
        kind = .item(
            Item(
                indentation: indentation,
                contentIndentation: indentation + mark.length
                    + (blanks > LineCursor.codeIndentation ? 1 : blanks),
                isNumbered: mark.isNumber))
    }

    /// Advances past the container's mark or indentation, and returns true if the line belongs to
    /// the container.
    ///
    /// - Parameters:
    ///   - interrupting: whether the line may continue a paragraph.
    ///   - isText: false if the line may continue a block of code or HTML.
    mutating func skip(_ place: inout LineCursor, interrupting: Bool, isText: Bool) -> Bool {
        switch kind {
        case .quote:
            guard place.indentation < LineCursor.codeIndentation,
                place.text.first == BlockStart.quoteMark
            else { return false }
            Self.skipQuoteMark(&place)
        case .item(var item):
            if place.isBlank { return hasContent }
            let indentation = place.indentation
            if indentation < item.contentIndentation {
                // A bullet that is indented less than CommonMark demands. From now on, this is
                // the indentation of the item's content.
                guard isText, indentation >= item.indentation + 2,
                    let mark = ListMark(at: place, interrupting: interrupting),
                    !mark.isNumber || !item.isNumbered
                else { return false }
                item.contentIndentation = indentation
                kind = .item(item)
            }
            place.skipBlanks(columns: item.contentIndentation)
        }
        return true
    }

    private static func skipQuoteMark(_ place: inout LineCursor) {
        place.skipBlanks(columns: place.indentation)
        place.skip(bytes: 1)
        place.skipBlanks(columns: 1)
    }
}
