/// Rows of tables, as GitHub's extension of CommonMark defines them.
enum TableRow {
    /// Whether a line makes the line above it the head of a table: it consists of `---`, `:--` and
    /// the like, one for each cell of that line.
    static func isDelimiter(_ line: ArraySlice<UInt8>, below head: ArraySlice<UInt8>) -> Bool {
        let marks = "|:-".utf8
        guard line.contains(UInt8(ascii: "|")) || line.contains(UInt8(ascii: ":")),
            line.allSatisfy({ Byte.isBlank($0) || marks.contains($0) })
        else { return false }
        let cells = cells(of: line)
        return cells.count == self.cells(of: head).count && cells.allSatisfy(isDelimiterCell)
    }

    private static func isDelimiterCell(_ cell: ArraySlice<UInt8>) -> Bool {
        let colon = UInt8(ascii: ":")
        var hyphens = cell.trimmed
        if hyphens.first == colon { hyphens = hyphens.dropFirst() }
        if hyphens.last == colon { hyphens = hyphens.dropLast() }
        return !hyphens.isEmpty && hyphens.allSatisfy { $0 == Byte.hyphen }
    }

    private static func cells(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let pipe = UInt8(ascii: "|")
        var cells: [ArraySlice<UInt8>] = []
        var start = line.first == pipe ? line.startIndex + 1 : line.startIndex
        var index = start
        while index < line.endIndex {
            if line[index] == Byte.backslash {
                index += 1
            } else if line[index] == pipe {
                cells.append(line[start..<index])
                start = index + 1
            }
            index += 1
        }
        // A pipe at the end closes the last cell.
        if start < line.endIndex || cells.isEmpty {
            cells.append(line[min(start, line.endIndex)...])
        }
        return cells
    }
}
