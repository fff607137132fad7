extension JSONWriter {
    /// Writes a string. Only `"`, `\` and control characters are escaped. O(length).
    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(utf8: $0) }
    }

    /// Writes a string from its UTF-8, which must be valid. O(length).
    package mutating func string(utf8 contents: UnsafeBufferPointer<UInt8>) {
        compose(atMost: contents.count * Self.maximumEscapedBytes + 2) {
            $0.write(quoted: contents)
        }
    }

    /// The maximum number of bytes for one byte of a string: `\u001F`.
    static let maximumEscapedBytes = 6
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes a string from its UTF-8, in quotes, and advances.
    mutating func write(quoted contents: UnsafeBufferPointer<UInt8>) {
        write(ASCII.quote)
        if contents.isPlain {
            write(contents)
            return write(ASCII.quote)
        }
        var start = 0
        while true {
            let stop = contents.needingEscape(from: start)
            write(UnsafeBufferPointer(rebasing: contents[start..<stop]))
            guard stop < contents.count else { break }
            write(escapeOf: contents[stop])
            start = stop + 1
        }
        write(ASCII.quote)
    }

    mutating func write(quotedOrNull text: String?) {
        guard var text else { return write("null") }
        text.withUTF8 { write(quoted: $0) }
    }

    mutating func write(quotedOrNull text: UnsafeBufferPointer<UInt8>?) {
        if let text { write(quoted: text) } else { write("null") }
    }

    private mutating func write(escapeOf byte: UInt8) {
        write(ASCII.backslash)
        switch byte {
        case ASCII.quote, ASCII.backslash: write(byte)
        case 0x08: write(UInt8(ascii: "b"))
        case ASCII.tab: write(UInt8(ascii: "t"))
        case ASCII.lineFeed: write(UInt8(ascii: "n"))
        case 0x0C: write(UInt8(ascii: "f"))
        case ASCII.carriageReturn: write(UInt8(ascii: "r"))
        default:
            write("u00")
            write(ASCII.zero + byte >> 4)
            let low = byte & 0xF
            write(low < 10 ? ASCII.zero + low : UInt8(ascii: "a") + low - 10)
        }
    }
}
