/// The bytes with a meaning in JSON's grammar.
enum ASCII {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let slash = UInt8(ascii: "/")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let minus = UInt8(ascii: "-")
    static let plus = UInt8(ascii: "+")
    static let dot = UInt8(ascii: ".")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- zero <= 9 }

    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == space || byte == lineFeed || byte == tab || byte == carriageReturn
    }
}

/// Tests eight bytes at once. A matching byte gets its highest bit set in the mask. A borrow can
/// set a wrong bit, but only above a right one, so the lowest set bit is always right.
enum ByteMask {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ (ones &* UInt64(byte))
        return (difference &- ones) & ~difference & highs
    }

    @inline(__always)
    static func control(_ word: UInt64) -> UInt64 {
        (word &- ones &* 0x20) & ~word & highs
    }

    /// The characters that a JSON string may contain only as escapes.
    @inline(__always)
    static func needingEscape(_ word: UInt64) -> UInt64 {
        equal(word, ASCII.quote) | equal(word, ASCII.backslash) | control(word)
    }

    @inline(__always)
    static func notASCII(_ word: UInt64) -> UInt64 { word & highs }
}

extension UnsafeBufferPointer<UInt8> {
    /// The eight bytes from `index`, the first in the lowest bits.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        UInt64(
            littleEndian: UnsafeRawBufferPointer(self).loadUnaligned(
                fromByteOffset: index, as: UInt64.self))
    }

    /// The first index from `start` that is not white space, or `count`.
    @inline(__always)
    func skippingSpaces(from start: Int) -> Int {
        var index = start
        while index < count, ASCII.isSpace(self[index]) { index += 1 }
        return index
    }

    /// The first quote or backslash from `start`, or `count`.
    @inline(__always)
    func quoteOrBackslash(from start: Int) -> Int {
        var index = start
        while index <= count - 8 {
            let word = word(at: index)
            let mask = ByteMask.equal(word, ASCII.quote) | ByteMask.equal(word, ASCII.backslash)
            if mask != 0 { return index + mask.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < count, self[index] != ASCII.quote, self[index] != ASCII.backslash {
            index += 1
        }
        return index
    }

    /// The first byte from `start` that a JSON string may contain only as an escape, or `count`.
    @inline(__always)
    func needingEscape(from start: Int) -> Int {
        var index = start
        while index <= count - 8 {
            let mask = ByteMask.needingEscape(word(at: index))
            if mask != 0 { return index + mask.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < count, self[index] >= 0x20, self[index] != ASCII.quote,
            self[index] != ASCII.backslash
        {
            index += 1
        }
        return index
    }

    /// Whether a JSON string may contain these bytes unescaped.
    @inline(__always)
    var isPlain: Bool {
        guard count >= 8 else { return needingEscape(from: 0) == count }
        // Nearly all texts are plain, so there is one test at the end; the last word overlaps the
        // one before.
        var mask = ByteMask.needingEscape(word(at: count - 8))
        var index = 0
        while index < count - 8 {
            mask |= ByteMask.needingEscape(word(at: index))
            index += 8
        }
        return mask == 0
    }

    /// The end of plain ASCII text of a JSON string from `start`, or `count`.
    @inline(__always)
    func endOfPlainText(from start: Int) -> Int {
        var index = start
        while index <= count - 8 {
            let word = word(at: index)
            let mask =
                ByteMask.equal(word, ASCII.quote) | ByteMask.equal(word, ASCII.backslash)
                | ByteMask.control(word) | ByteMask.notASCII(word)
            if mask != 0 { return index + mask.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < count, self[index] >= 0x20, self[index] < 0x80, self[index] != ASCII.quote,
            self[index] != ASCII.backslash
        {
            index += 1
        }
        return index
    }

    /// Whether both have the same bytes. O(`count`).
    package func sameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index <= count - 8 {
            if word(at: index) != other.word(at: index) { return false }
            index += 8
        }
        while index < count {
            if self[index] != other[index] { return false }
            index += 1
        }
        return true
    }
}
