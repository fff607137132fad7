import ReorderImportExport

/// Reads a file in its format. Remarks and errors must name lines that exist.
enum ImportedFiles {
    static func fault(in bytes: [UInt8]) -> String? {
        guard let format = ListFileFormat(recognizing: bytes, fileName: "") else { return nil }
        // UTF-16 has line ends in two bytes.
        let lineCount = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
        var count = 0
        do {
            let lists = try format.read(bytes, untitled: "") {
                count += 1
                return "n\(count)"
            }
            let lines = lists.flatMap(\.remarks).map(\.lines)
            guard lines.allSatisfy({ $0.lowerBound > 0 && $0.upperBound <= lineCount }) else {
                return "a remark names a line that does not exist"
            }
        } catch {
            guard error.line.map({ (1...lineCount).contains($0) }) ?? true else {
                return "the error names a line that does not exist"
            }
        }
        return nil
    }
}
