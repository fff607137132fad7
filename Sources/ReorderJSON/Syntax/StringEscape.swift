/// Decodes escapes in strings of a checked text.
extension UnsafeBufferPointer<UInt8> {
    /// The value of the four hexadecimal digits at `index`, or nil if there are fewer.
    func hexadecimal(at index: Int) -> UInt32? {
        guard index <= count - 4 else { return nil }
        var value: UInt32 = 0
        for byte in self[index..<index + 4] {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// The scalar of the escape whose backslash is at `index`, and the escape's length.
    func escapedScalar(at index: Int) -> (scalar: UInt32, length: Int) {
        switch self[index + 1] {
        case UInt8(ascii: "b"): return (0x08, 2)
        case UInt8(ascii: "f"): return (0x0C, 2)
        case UInt8(ascii: "n"): return (0x0A, 2)
        case UInt8(ascii: "r"): return (0x0D, 2)
        case UInt8(ascii: "t"): return (0x09, 2)
        case UInt8(ascii: "u"):
            let unit = hexadecimal(at: index + 2) ?? 0xFFFD
            guard unit >= 0xD800, unit < 0xDC00 else { return (unit, 6) }
            let low = hexadecimal(at: index + 8) ?? 0xDC00
            return (0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), 12)
        case let byte: return (UInt32(byte), 2)
        }
    }

    /// Appends the decoded string whose contents begin at `start`, and returns the index of its
    /// closing quote.
    func decodeString(from start: Int, into output: inout [UInt8]) -> Int {
        var index = start
        while true {
            let stop = quoteOrBackslash(from: index)
            output.append(contentsOf: UnsafeBufferPointer(rebasing: self[index..<stop]))
            guard stop < count, self[stop] == ASCII.backslash else { return stop }
            let escape = escapedScalar(at: stop)
            output.append(utf8Of: escape.scalar)
            index = stop + escape.length
        }
    }
}
