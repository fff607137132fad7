extension JSONChecker {
    /// Checks a number.
    @inline(__always)
    mutating func checkNumber() throws(JSONError) {
        let start = position
        if text[position] == ASCII.minus { position += 1 }
        let integerStart = position
        if position < text.count, text[position] == ASCII.zero {
            position += 1
            if position < text.count, ASCII.isDigit(text[position]) { throw error(.invalidNumber) }
        } else {
            try checkDigits()
        }
        // Without an exponent, a number below 10³⁰⁸ does not overflow a double.
        var mayOverflow = position - integerStart > 308
        if position < text.count, text[position] == ASCII.dot {
            position += 1
            try checkDigits()
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            mayOverflow = true
            position += 1
            if position < text.count,
                text[position] == ASCII.plus || text[position] == ASCII.minus
            {
                position += 1
            }
            try checkDigits()
        }
        if mayOverflow, !DecimalText(text[start..<position]).fitsDouble {
            throw error(.numberOutOfRange, at: start)
        }
    }

    /// Checks one or more digits.
    @inline(__always)
    private mutating func checkDigits() throws(JSONError) {
        guard position < text.count else { throw error(.unexpectedEnd) }
        guard ASCII.isDigit(text[position]) else { throw error(.invalidNumber) }
        while position < text.count, ASCII.isDigit(text[position]) { position += 1 }
    }
}
