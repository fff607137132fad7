extension JSONWriter {
    /// Writes a string. Only `"`, `\` and control characters are escaped. O(length).
    package mutating func string(_ value: String) {
        let written: Void? = value.utf8.withContiguousStorageIfAvailable { string(utf8: $0) }
        guard written == nil else { return }
        var value = value
        value.withUTF8 { string(utf8: $0) }
    }

    /// Writes a string from its UTF-8, which must be valid. O(length).
    package mutating func string(utf8 contents: UnsafeBufferPointer<UInt8>) {
        guard contents.needingEscape(from: 0) < contents.count else {
            return plainString(contents)
        }
        separate()
        appendQuoted(contents)
        endValue()
    }

    /// Appends a string without a comma before it.
    mutating func appendQuoted(_ contents: UnsafeBufferPointer<UInt8>) {
        append(ASCII.quote)
        var start = 0
        while true {
            let stop = contents.needingEscape(from: start)
            append(UnsafeBufferPointer(rebasing: contents[start..<stop]))
            guard stop < contents.count else { break }
            appendEscape(of: contents[stop])
            start = stop + 1
        }
        append(ASCII.quote)
    }

    private mutating func appendEscape(of byte: UInt8) {
        append(ASCII.backslash)
        switch byte {
        case ASCII.quote, ASCII.backslash: append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case ASCII.tab: append(UInt8(ascii: "t"))
        case ASCII.lineFeed: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case ASCII.carriageReturn: append(UInt8(ascii: "r"))
        default:
            append(UInt8(ascii: "u"))
            append(ASCII.zero)
            append(ASCII.zero)
            append(ASCII.zero + byte >> 4)
            let low = byte & 0xF
            append(low < 10 ? ASCII.zero + low : UInt8(ascii: "a") + low - 10)
        }
    }
}
