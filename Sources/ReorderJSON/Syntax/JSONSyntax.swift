/// The JSON syntax that the server accepts.
package enum JSONSyntax {
    /// Accepts exactly the JSON texts of RFC 8259 in UTF-8, except those that two readers could
    /// interpret differently or that can't be stored unchanged.
    ///
    /// Refused beyond RFC 8259: a byte order mark; two members with the same name in an object,
    /// compared after decoding escapes; escaped surrogates that are not a pair; NUL in strings;
    /// arrays and objects nested more than `maximumDepth` deep (the outermost one counts as 1);
    /// numbers that round to infinity as a double. All other numbers are accepted, with any number
    /// of digits. So are `-0`, and `1e-999`, which rounds to zero.
    ///
    /// One pass, without recursion. O(`bytes.count`), expected; memory O(`maximumDepth`), and 16 to
    /// 48 bytes per member for objects of more than 16 members.
    package static func check(
        _ bytes: [UInt8], maximumDepth: Int = 16
    ) throws(JSONError) {
        try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            try withUnsafeTemporaryAllocation(of: JSONChecker.Level.self, capacity: maximumDepth) {
                levels in
                withUnsafeTemporaryAllocation(
                    of: MemberNames.Entry.self, capacity: MemberNames.entriesOnStack
                ) { entries in
                    Result { () throws(JSONError) in
                        var checker = JSONChecker(
                            text: buffer, levels: levels, names: MemberNames(buffer, entries))
                        try checker.checkText()
                    }
                }
            }.get()
        }
    }
}

/// One pass over a text. Strings and numbers are in extensions.
struct JSONChecker {
    struct Level {
        fileprivate var step: JSONPointer.Step = 0
        fileprivate var isObject: Bool
        fileprivate var names: MemberNames.Mark
    }

    let text: UnsafeBufferPointer<UInt8>
    var position = 0
    /// Memory for the maximum depth.
    fileprivate let levels: UnsafeMutableBufferPointer<Level>
    fileprivate var depth = 0
    fileprivate var names: MemberNames

    mutating func checkText() throws(JSONError) {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { throw error(.byteOrderMark) }
        skipSpaces()
        guard position < text.count else { throw error(.empty) }
        repeat {
            try checkValue()
        } while try nextValue()
        guard position == text.count else { throw error(.trailingBytes) }
    }

    /// Checks a value. Stops at the first element of an array or object; `nextValue` continues
    /// there.
    @inline(__always)
    private mutating func checkValue() throws(JSONError) {
        while true {
            skipSpaces()
            guard position < text.count else { throw error(.unexpectedEnd) }
            switch text[position] {
            case ASCII.quote:
                _ = try checkString()
                return
            case ASCII.openBrace:
                try open(isObject: true)
                if consume(ASCII.closeBrace) { return close() }
                try checkName()
            case ASCII.openBracket:
                try open(isObject: false)
                if consume(ASCII.closeBracket) { return close() }
                levels[depth - 1].step = -1
            case ASCII.minus, ASCII.zero...ASCII.nine:
                return try checkNumber()
            case UInt8(ascii: "t"): return try checkLiteral("true")
            case UInt8(ascii: "f"): return try checkLiteral("false")
            case UInt8(ascii: "n"): return try checkLiteral("null")
            default: throw error(.expectedValue)
            }
        }
    }

    /// After a value, leaves the arrays and objects that end here and advances to the next value.
    /// Returns false after the outermost value.
    @inline(__always)
    private mutating func nextValue() throws(JSONError) -> Bool {
        while true {
            skipSpaces()
            let last = depth - 1
            guard last >= 0 else { return false }
            guard position < text.count else { throw error(.unexpectedEnd) }
            let isObject = levels[last].isObject
            switch text[position] {
            case ASCII.comma:
                position += 1
                if isObject { try checkName() } else { levels[last].step -= 1 }
                return true
            case isObject ? ASCII.closeBrace : ASCII.closeBracket:
                position += 1
                close()
            default:
                throw error(.expectedCommaOrEnd)
            }
        }
    }

    @inline(__always)
    private mutating func open(isObject: Bool) throws(JSONError) {
        guard depth < levels.count else { throw error(.tooDeep) }
        levels[depth] = Level(isObject: isObject, names: names.mark())
        depth += 1
        position += 1
        skipSpaces()
    }

    @inline(__always)
    private mutating func close() {
        depth -= 1
        if levels[depth].isObject { names.remove(levels[depth].names) }
    }

    /// Checks a member's name and its colon.
    @inline(__always)
    private mutating func checkName() throws(JSONError) {
        let last = depth - 1
        levels[last].step = 0
        skipSpaces()
        guard position < text.count else { throw error(.unexpectedEnd) }
        guard text[position] == ASCII.quote else { throw error(.expectedName) }
        let start = position + 1
        let escaped = try checkString()
        levels[last].step = start
        let isNew = names.insert(
            start..<position - 1, escaped: escaped, into: &levels[last].names)
        guard isNew else { throw error(.duplicateMember, at: start - 1) }
        skipSpaces()
        guard position < text.count else { throw error(.unexpectedEnd) }
        guard consume(ASCII.colon) else { throw error(.expectedColon) }
    }

    @inline(__always)
    private mutating func checkLiteral(_ literal: StaticString) throws(JSONError) {
        for index in 0..<literal.utf8CodeUnitCount {
            guard position < text.count else { throw error(.unexpectedEnd) }
            guard text[position] == literal.utf8Start[index] else { throw error(.expectedValue) }
            position += 1
        }
    }

    @inline(__always)
    private mutating func consume(_ byte: UInt8) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    private mutating func skipSpaces() { position = text.skippingSpaces(from: position) }

    @inline(never)
    func error(_ kind: JSONError.Kind, at offset: Int? = nil) -> JSONError {
        JSONError(
            kind: kind, pointer: JSONPointer.text(levels[..<depth].lazy.map(\.step), in: text),
            offset: offset ?? position)
    }
}
