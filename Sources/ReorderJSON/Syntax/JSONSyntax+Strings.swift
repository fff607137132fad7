extension JSONChecker {
    /// Checks a string, and returns whether it contains escapes.
    @inline(__always)
    mutating func checkString() throws(JSONError) -> Bool {
        position = text.endOfPlainText(from: position + 1)
        // Most strings are plain ASCII, and end here.
        if position < text.count, text[position] == ASCII.quote {
            position += 1
            return false
        }
        return try checkRestOfString()
    }

    @inline(never)
    private mutating func checkRestOfString() throws(JSONError) -> Bool {
        var hasEscapes = false
        while position < text.count {
            switch text[position] {
            case ASCII.quote:
                position += 1
                return hasEscapes
            case ASCII.backslash:
                hasEscapes = true
                try checkEscape()
            case 0:
                throw error(.nul)
            case ..<0x20:
                throw error(.controlCharacter)
            case ..<0x80:
                position = text.endOfPlainText(from: position)
            default:
                let length = text.lengthOfUTF8Sequence(at: position)
                guard length > 0 else { throw error(.invalidUTF8) }
                position += length
            }
        }
        throw error(.unexpectedEnd)
    }

    private mutating func checkEscape() throws(JSONError) {
        guard position + 1 < text.count else {
            throw error(.unexpectedEnd, at: text.count)
        }
        switch text[position + 1] {
        case ASCII.quote, ASCII.backslash, ASCII.slash, UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard let unit = text.hexadecimal(at: position + 2) else {
                throw error(.invalidEscape)
            }
            switch unit {
            case 0: throw error(.nul)
            case 0xD800..<0xDC00:
                guard hasLowSurrogate(at: position + 6) else { throw error(.loneSurrogate) }
                position += 12
            case 0xDC00..<0xE000: throw error(.loneSurrogate)
            default: position += 6
            }
        default:
            throw error(.invalidEscape)
        }
    }

    private func hasLowSurrogate(at index: Int) -> Bool {
        guard index <= text.count - 6, text[index] == ASCII.backslash,
            text[index + 1] == UInt8(ascii: "u"), let unit = text.hexadecimal(at: index + 2)
        else { return false }
        return unit >= 0xDC00 && unit < 0xE000
    }
}
