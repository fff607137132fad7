/// A position in a line of Markdown. Blanks are counted in columns: a tab advances to the next
/// multiple of 4.
struct LineCursor {
    /// From this number of columns of blanks on, marks have no meaning, except those of items.
    static let codeIndentation = 4

    /// The part of the line that is not consumed.
    private(set) var rest: ArraySlice<UInt8>
    /// The column of the position. It can be inside a tab, which is then still in `rest`.
    private var column = 0

    init(_ line: ArraySlice<UInt8>) {
        rest = line
    }

    /// The rest without blanks at its ends.
    var text: ArraySlice<UInt8> { rest.trimmed }

    var isBlank: Bool { rest.allSatisfy(Byte.isBlank) }

    /// The number of columns of blanks at the position.
    var indentation: Int {
        var end = column
        for byte in rest {
            guard Byte.isBlank(byte) else { break }
            end += Self.width(of: byte, at: end)
        }
        return end - column
    }

    /// Consumes up to this number of columns of blanks.
    mutating func skipBlanks(columns: Int) {
        let end = column + columns
        while column < end, let byte = rest.first, Byte.isBlank(byte) {
            let next = column + Self.width(of: byte, at: column)
            guard next <= end else {
                column = end
                return
            }
            column = next
            rest = rest.dropFirst()
        }
    }

    /// Consumes this number of bytes, which are not blanks.
    mutating func skip(bytes: Int) {
        rest = rest.dropFirst(bytes)
        column += bytes
    }

    private static func width(of blank: UInt8, at column: Int) -> Int {
        blank == Byte.tab ? 4 - column % 4 : 1
    }
}
