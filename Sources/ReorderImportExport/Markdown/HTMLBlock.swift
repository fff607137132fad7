/// A block of HTML that begins with a tag of a block element, with a comment or with another
/// markup declaration.
///
/// CommonMark also makes a block of a line with a complete tag of any other name. Here such a line
/// is text, so that an item or title can consist of an image or a link.
struct HTMLBlock {
    enum End {
        /// The first line that contains one of these texts, in lower case.
        case text([String])
        case blankLine
    }

    let end: End
    let isComment: Bool

    init?(opening text: ArraySlice<UInt8>) {
        guard text.first == UInt8(ascii: "<") else { return nil }
        // Longer than all names and marks.
        let start = text.prefix(32).text.lowercased()
        isComment = start.hasPrefix("<!--")
        if isComment {
            end = .text(["-->"])
        } else if start.hasPrefix("<?") {
            end = .text(["?>"])
        } else if start.hasPrefix("<![cdata[") {
            end = .text(["]]>"])
        } else if start.hasPrefix("<!"), start.dropFirst(2).first?.isLetter == true {
            end = .text([">"])
        } else {
            let isClosing = start.hasPrefix("</")
            let rest = start.dropFirst(isClosing ? 2 : 1)
            let name = String(rest.prefix { $0.isLetter || $0.isNumber })
            let following = rest.dropFirst(name.count)
            guard
                following.isEmpty || following.hasPrefix("/>")
                    || following.first.map({ " \t>".contains($0) }) == true
            else { return nil }
            if !isClosing, Self.textElements.contains(name) {
                end = .text(Self.textElements.map { "</\($0)>" })
            } else if Self.blockElements.contains(name) {
                end = .blankLine
            } else {
                return nil
            }
        }
    }

    /// Whether the block ends with this line. O(length).
    func ends(with line: ArraySlice<UInt8>) -> Bool {
        guard case .text(let texts) = end else { return false }
        let line = line.text.lowercased()
        return texts.contains { line.utf8.contains($0.utf8) }
    }

    /// Elements whose content is no Markdown.
    private static let textElements: Set<String> = ["pre", "script", "style", "textarea"]

    private static let blockElements: Set<String> = [
        "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption",
        "center", "col", "colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2",
        "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
        "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param",
        "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title",
        "tr", "track", "ul",
    ]
}
