/// The lines of a text file, validated as text.
struct InputLines {
    /// Without their ends, which may be LF, CR LF or CR.
    let lines: [ArraySlice<UInt8>]

    init(_ bytes: [UInt8]) throws(ImportError) {
        lines = Self.split(Self.withoutByteOrderMark(bytes))
        for (index, line) in lines.enumerated() {
            guard !line.contains(0) else {
                throw ImportError(line: index + 1, reason: "The line contains a NUL byte.")
            }
            guard String(validating: line, as: UTF8.self) != nil else {
                throw ImportError(line: index + 1, reason: "The line is not valid UTF-8.")
            }
        }
    }

    static func withoutByteOrderMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    }

    private static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
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
