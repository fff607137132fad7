/// Reads CSV (RFC 4180), record by record, with the line where each begins.
///
/// Unlike other parsers, it reports the line of an error, refuses an unclosed quote, and keeps
/// spaces. It works on bytes, because in Swift a quote followed by a combining mark is one
/// character.
struct CSVReader {
    private let bytes: ArraySlice<UInt8>
    let delimiter: UInt8
    private var index: Int
    private(set) var line = 1

    /// Finds the delimiter: a line `sep=;` before the header names it, as some spreadsheets write.
    /// Otherwise it is the first comma, semicolon or tab.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
        let firstLine = bytes.prefix { $0 != Byte.lineFeed && $0 != Byte.carriageReturn }
        if firstLine.count == 5, firstLine.text.lowercased().hasPrefix("sep=") {
            delimiter = firstLine[firstLine.endIndex - 1]
            index = firstLine.endIndex
            skipLineEnd()
        } else {
            delimiter = firstLine.first { ",;\t".utf8.contains($0) } ?? UInt8(ascii: ",")
        }
    }

    /// The next record's fields, at least one; nil at the end.
    mutating func next() throws(ImportError) -> (line: Int, fields: [String])? {
        guard index < bytes.endIndex else { return nil }
        let start = line
        var fields = [try field()]
        while index < bytes.endIndex, bytes[index] == delimiter {
            index += 1
            fields.append(try field())
        }
        skipLineEnd()
        return (start, fields)
    }

    /// Reads up to the next delimiter, line end or the end of the input.
    private mutating func field() throws(ImportError) -> String {
        guard index < bytes.endIndex, bytes[index] == Byte.quote else {
            let rest = bytes[index...]
            let end = rest.firstIndex(where: endsField) ?? bytes.endIndex
            defer { index = end }
            return bytes[index..<end].text
        }
        let start = line
        var field: [UInt8] = []
        index += 1
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == Byte.quote {
                guard index < bytes.endIndex, bytes[index] == Byte.quote else {
                    guard index == bytes.endIndex || endsField(bytes[index]) else {
                        throw ImportError(
                            line: line,
                            reason: "The closing quote of a field must be followed by a delimiter; "
                                + "quotes inside a quoted field must be doubled.")
                    }
                    return field[...].text
                }
                index += 1
            } else if byte == Byte.lineFeed
                || (byte == Byte.carriageReturn && bytes[index...].first != Byte.lineFeed)
            {
                line += 1
            }
            field.append(byte)
        }
        throw ImportError(line: start, reason: "The quoted field that begins here is not closed.")
    }

    private func endsField(_ byte: UInt8) -> Bool {
        byte == delimiter || byte == Byte.lineFeed || byte == Byte.carriageReturn
    }

    private mutating func skipLineEnd() {
        guard index < bytes.endIndex else { return }
        let isPair =
            bytes[index] == Byte.carriageReturn
            && bytes[index...].dropFirst().first == Byte.lineFeed
        index += isPair ? 2 : 1
        line += 1
    }
}

/// Writes CSV (RFC 4180).
struct CSVWriter {
    private(set) var bytes: [UInt8] = []

    mutating func record(_ fields: some Sequence<String>) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(field)
        }
        bytes += [Byte.carriageReturn, Byte.lineFeed]
    }

    private mutating func append(_ field: String) {
        let needsQuotes =
            field.utf8.contains { byte in
                switch byte {
                case UInt8(ascii: ","), Byte.quote, Byte.lineFeed, Byte.carriageReturn: true
                default: false
                }
            } || field.utf8.first.map(Byte.isBlank) == true
            || field.utf8.last.map(Byte.isBlank) == true
        guard needsQuotes else {
            bytes.append(contentsOf: field.utf8)
            return
        }
        bytes.append(Byte.quote)
        for byte in field.utf8 {
            if byte == Byte.quote { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(Byte.quote)
    }
}
