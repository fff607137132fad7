/// Converts titles from and to Markdown.
///
/// Markup in a title (`**bold**`, links, code) is plain text to a list, and is kept when reading
/// and when writing. Escapes are decoded: backslashes before punctuation, and character references.
/// Code between backticks has no escapes. A line feed, also after a backslash, becomes a space.
enum MarkdownText {
    /// The title that a piece of Markdown represents.
    static func decode(_ markdown: ArraySlice<UInt8>) -> String {
        guard markdown.contains(where: isSpecial) else { return markdown.text }
        var title: [UInt8] = []
        title.reserveCapacity(markdown.count)
        var rest = markdown
        while let byte = rest.first {
            let next = rest.dropFirst().first
            if byte == Byte.backslash, let next, Byte.isPunctuation(next) {
                title.append(next)
                rest = rest.dropFirst(2)
            } else if byte == Byte.lineFeed || byte == Byte.backslash && next == Byte.lineFeed {
                title.append(Byte.space)
                rest = rest.dropFirst(byte == Byte.lineFeed ? 1 : 2)
            } else if byte == Byte.backtick {
                let code = codeSpan(rest) ?? rest.prefix { $0 == Byte.backtick }
                title += code.map { $0 == Byte.lineFeed ? Byte.space : $0 }
                rest = rest[code.endIndex...]
            } else if byte == Byte.ampersand, let (character, end) = reference(rest) {
                title += Array(String(character).utf8)
                rest = rest[end...]
            } else {
                title.append(byte)
                rest = rest.dropFirst()
            }
        }
        return title[...].text
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == Byte.backslash || byte == Byte.ampersand || byte == Byte.lineFeed
    }

    /// A title, unchanged if it decodes to itself, otherwise with escaped special characters.
    static func encode(_ title: String, inHeading: Bool = false) -> [UInt8] {
        let plain = Array(title.utf8)
        if !plain.contains(where: isControl), plain[...].trimmed == plain[...],
            !inHeading || BlockStart.withoutClosingMarks(plain[...]) == plain[...],
            decode(plain[...]) == title
        {
            return plain
        }
        var markdown: [UInt8] = []
        for (index, byte) in plain.enumerated() {
            let isAtEnd = index == 0 || index == plain.count - 1
            switch byte {
            case _ where isControl(byte), Byte.space where isAtEnd:
                markdown += Array("&#\(byte);".utf8)
            case Byte.backslash, Byte.backtick, Byte.ampersand, Byte.numberSign:
                markdown += [Byte.backslash, byte]
            default:
                markdown.append(byte)
            }
        }
        return markdown
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    /// The code that begins here: up to the same number of backticks as at its start.
    private static func codeSpan(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let count = rest.prefix { $0 == Byte.backtick }.count
        var index = rest.startIndex + count
        while let start = rest[index...].firstIndex(of: Byte.backtick) {
            let run = rest[start...].prefix { $0 == Byte.backtick }
            if run.count == count { return rest[..<run.endIndex] }
            index = run.endIndex
        }
        return nil
    }

    /// The character of a reference, and the index after the reference.
    private static func reference(_ rest: ArraySlice<UInt8>) -> (Unicode.Scalar, Int)? {
        // The longest is "&#1114111;".
        guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = rest[rest.startIndex + 1..<end].text
        guard name.first == "#" else { return names[name].map { ($0, end + 1) } }
        let isHexadecimal = name.dropFirst().first?.lowercased() == "x"
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.first != "+", digits.first != "-",
            let code = UInt32(digits, radix: isHexadecimal ? 16 : 10)
        else { return nil }
        return (Unicode.Scalar(code).flatMap { $0.value == 0 ? nil : $0 } ?? "\u{FFFD}", end + 1)
    }

    /// The named references that people use; others stay unchanged.
    private static let names: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
        "lrm": "\u{200E}", "rlm": "\u{200F}", "zwj": "\u{200D}", "zwnj": "\u{200C}",
    ]
}
