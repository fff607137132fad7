/// The lines of a text file, validated as text.
struct InputLines {
    /// Without their ends, which may be LF, CR LF or CR.
    let lines: [ArraySlice<UInt8>]

    init(_ bytes: [UInt8]) throws(ImportError) {
        lines = Self.split(Self.withoutByteOrderMark(bytes))
        for (index, line) in lines.enumerated() {
            guard !line.contains(0) else {
                throw ImportError(
                    line: index + 1,
                    reason: "The line contains a NUL byte. Save the file as UTF-8 text.")
            }
            guard String(validating: line, as: UTF8.self) != nil else {
                throw ImportError(
                    line: index + 1,
                    reason: "The line is not valid UTF-8. Save the file as UTF-8 text.")
            }
        }
    }

    /// Converts UTF-16 with a byte order mark to UTF-8; other bytes are returned unchanged.
    static func utf8(_ bytes: [UInt8]) throws(ImportError) -> [UInt8] {
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (high, low) = isBigEndian ? (index, index + 1) : (index + 1, index)
            return UInt16(bytes[high]) << 8 | UInt16(bytes[low])
        }
        guard bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else {
            throw ImportError(reason: "The file is not valid UTF-16. Save it as UTF-8 text.")
        }
        return Array(text.utf8)
    }

    static func withoutByteOrderMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    }

    static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        var index = start
        while index < bytes.endIndex {
            let byte = bytes[index]
            guard byte == Byte.lineFeed || byte == Byte.carriageReturn else {
                index += 1
                continue
            }
            lines.append(bytes[start..<index])
            index += 1
            if byte == Byte.carriageReturn, index < bytes.endIndex, bytes[index] == Byte.lineFeed {
                index += 1
            }
            start = index
        }
        if start < bytes.endIndex { lines.append(bytes[start...]) }
        return lines
    }
}
