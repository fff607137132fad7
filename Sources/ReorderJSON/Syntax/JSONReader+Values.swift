extension JSONReader {
    /// Reads a string and decodes its escapes. Throws if the next value is not a string. O(length).
    package mutating func readString() throws(JSONTypeError) -> String {
        try expect(.string)
        let start = position + 1
        let (string, end) = bytes.withUnsafeBufferPointer { bytes in
            let end = bytes.quoteOrBackslash(from: start)
            if bytes[end] == ASCII.quote {
                let contents = UnsafeBufferPointer(rebasing: bytes[start..<end])
                return (String(decoding: contents, as: UTF8.self), end)
            }
            var contents: [UInt8] = []
            let quote = bytes.decodeString(from: start, into: &contents)
            return (String(decoding: contents, as: UTF8.self), quote)
        }
        position = end + 1
        return string
    }

    /// Reads an integer: a number without a fractional part, in any notation (`100`, `100.0`,
    /// `1e2`). Throws if the next value is not an integer, or does not fit in an `Int`.
    package mutating func readInt() throws(JSONTypeError) -> Int {
        try expect(.number)
        let end = endOfNumber()
        if let value = smallInteger(end: end) {
            position = end
            return value
        }
        let number = bytes.withUnsafeBufferPointer { DecimalText($0[position..<end]).integer }
        switch number {
        case .success(let value):
            position = end
            return value
        case .failure(.notAnInteger): throw error(.notAnInteger)
        case .failure(.outOfRange): throw error(.integerOutOfRange)
        }
    }

    /// Reads a number as the nearest double. Throws if the next value is not a number.
    package mutating func readDouble() throws(JSONTypeError) -> Double {
        try expect(.number)
        // A checked text has no number that is too large.
        guard let value = Double(readRaw()) else { throw error(.notAnInteger) }
        return value
    }

    /// Reads true or false. Throws if the next value is neither.
    package mutating func readBool() throws(JSONTypeError) -> Bool {
        try expect(.boolean)
        let value = bytes[position] == UInt8(ascii: "t")
        position += value ? 4 : 5
        return value
    }

    /// Reads null if it is next and returns true; otherwise reads nothing.
    package mutating func readNull() -> Bool {
        guard peek == .null else { return false }
        position += 4
        return true
    }

    private func endOfNumber() -> Int {
        var end = position + 1
        while end < bytes.count {
            switch bytes[end] {
            case ASCII.zero...ASCII.nine, ASCII.plus, ASCII.minus, ASCII.dot, UInt8(ascii: "e"),
                UInt8(ascii: "E"):
                end += 1
            default: return end
            }
        }
        return end
    }

    /// The number from `position` to `end`, if it consists of digits only and can't overflow.
    private func smallInteger(end: Int) -> Int? {
        let isNegative = bytes[position] == ASCII.minus
        let start = isNegative ? position + 1 : position
        guard end - start <= 18 else { return nil }
        var value = 0
        for index in start..<end {
            guard ASCII.isDigit(bytes[index]) else { return nil }
            value = value * 10 + Int(bytes[index] - ASCII.zero)
        }
        return isNegative ? -value : value
    }
}
