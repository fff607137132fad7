extension JSONReader {
    /// Skips the next value of any kind. O(its length), without recursion.
    package mutating func skip() {
        position = bytes.withUnsafeBufferPointer { $0.endOfValue(from: position) }
    }

    /// Reads the next value as canonical text. This text has no white space. In strings, only `"`,
    /// `\` and control characters are escaped, in the shortest way. Numbers and the order of
    /// members are unchanged. Reading canonical text does not change it. O(length).
    package mutating func readRaw() -> String {
        let start = position
        skip()
        return rawText(from: start)
    }

    /// The start of the next value, for `rawText`.
    package var offset: Int { position }

    /// The value that began at `start` and was just read, in the form of `readRaw`.
    package func rawText(from start: Int) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            let value = UnsafeBufferPointer(rebasing: bytes[start..<position])
            return String(decoding: value.compacted(), as: UTF8.self)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The end of the value that begins at `start`.
    func endOfValue(from start: Int) -> Int {
        var index = start
        var depth = 0
        repeat {
            switch self[index] {
            case ASCII.quote:
                index = endOfString(from: index)
            case ASCII.openBrace, ASCII.openBracket:
                depth += 1
                index += 1
            case ASCII.closeBrace, ASCII.closeBracket:
                depth -= 1
                index += 1
            case ASCII.comma, ASCII.colon, ASCII.space, ASCII.lineFeed, ASCII.tab,
                ASCII.carriageReturn:
                index += 1
            default:
                index = endOfScalar(from: index)
            }
        } while depth > 0
        return index
    }

    /// The index after the closing quote of the string whose opening quote is at `start`.
    @inline(__always)
    private func endOfString(from start: Int) -> Int {
        var index = quoteOrBackslash(from: start + 1)
        while self[index] == ASCII.backslash { index = quoteOrBackslash(from: index + 2) }
        return index + 1
    }

    /// The end of a number or literal.
    @inline(__always)
    private func endOfScalar(from start: Int) -> Int {
        var index = start
        while index < count, self[index] != ASCII.comma, !ASCII.isSpace(self[index]),
            self[index] != ASCII.closeBrace, self[index] != ASCII.closeBracket
        {
            index += 1
        }
        return index
    }

    /// The checked text without white space, with its strings normalized.
    fileprivate func compacted() -> [UInt8] {
        var writer = JSONWriter()
        writer.reserve(count)
        var decoded: [UInt8] = []
        var index = 0
        while index < count {
            // Copies up to white space or a string with an escape.
            let start = index
            var escaped = false
            copying: while index < count, !ASCII.isSpace(self[index]) {
                guard self[index] == ASCII.quote else {
                    index += 1
                    continue
                }
                let stop = quoteOrBackslash(from: index + 1)
                guard self[stop] == ASCII.quote else {
                    escaped = true
                    break copying
                }
                index = stop + 1
            }
            writer.append(UnsafeBufferPointer(rebasing: self[start..<index]))
            if escaped {
                decoded.removeAll(keepingCapacity: true)
                index = decodeString(from: index + 1, into: &decoded) + 1
                decoded.withUnsafeBufferPointer { writer.string(utf8: $0) }
            } else {
                index = skippingSpaces(from: index)
            }
        }
        return writer.takeBytes()
    }
}
