/// Splits a file into its JSON documents, wherever the line breaks are. A file of many lists is
/// never in memory as a whole.
///
/// It only finds the ends of documents; their reader validates them.
package struct JSONDocuments {
    private let read: () throws -> [UInt8]
    private var buffer: [UInt8] = []
    private var position = 0
    private var line = 1
    private var isAtEnd = false
    private var isAtStart = true

    /// - Parameter read: returns the file's next bytes; empty at its end.
    package init(read: @escaping () throws -> [UInt8]) {
        self.read = read
    }

    /// The next document and the number of its first line; nil at the end. O(its length).
    package mutating func next() throws -> (line: Int, bytes: [UInt8])? {
        guard try skipSpaces() else { return nil }
        let firstLine = line
        var depth = 0
        var isString = false
        var isEscaped = false
        var index = position
        // Anything but an object extends to the end of its line; its reader rejects it.
        let isObject = buffer[position] == UInt8(ascii: "{")
        scan: while true {
            if index == buffer.count, try !fill(&index) { break }
            let byte = buffer[index]
            index += 1
            if byte == Byte.lineFeed {
                line += 1
                if !isObject { break }
            }
            if isEscaped {
                isEscaped = false
            } else if isString {
                isEscaped = byte == Byte.backslash
                isString = byte != Byte.quote
            } else {
                switch byte {
                case Byte.quote: isString = isObject
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if isObject, depth == 0 { break scan }
                default: break
                }
            }
        }
        defer { position = index }
        return (firstLine, Array(buffer[position..<index]))
    }

    /// Advances to the next document's first byte; returns false at the end.
    private mutating func skipSpaces() throws -> Bool {
        while true {
            if position == buffer.count {
                var index = position
                guard try fill(&index) else { return false }
                // The bytes may have been only a byte order mark.
                continue
            }
            switch buffer[position] {
            case Byte.lineFeed:
                line += 1
                position += 1
            case Byte.space, Byte.tab, Byte.carriageReturn: position += 1
            default: return true
            }
        }
    }

    /// Discards the returned bytes and reads more; `index` stays at the same byte.
    private mutating func fill(_ index: inout Int) throws -> Bool {
        guard !isAtEnd else { return false }
        let bytes = try read()
        guard !bytes.isEmpty else {
            isAtEnd = true
            return false
        }
        buffer.removeFirst(position)
        index -= position
        position = 0
        buffer += isAtStart ? InputLines.withoutByteOrderMark(bytes) : bytes[...]
        isAtStart = false
        return true
    }
}
