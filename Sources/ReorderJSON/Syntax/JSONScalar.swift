/// A JSON number with its exact value, for comparisons.
package struct JSONNumber: Sendable, Comparable {
    /// -1, 0 or 1.
    private let sign: Int
    /// The power of ten of the first digit.
    private let magnitude: Int
    /// The significant digits; none for zero.
    private var digits: [UInt8]

    /// - Parameter text: a checked number.
    init(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
        let number = DecimalText(text)
        digits = Array(number.digits)
        magnitude = number.magnitude
        sign = number.sign
    }

    /// Compares a number with this one without copying it: negative if it is less, 0 if it is equal.
    fileprivate func order(of number: DecimalText) -> Int {
        if number.sign != sign { return number.sign - sign }
        if number.magnitude != magnitude { return number.magnitude < magnitude ? -sign : sign }
        return sign * number.digits.order(to: digits)
    }

    /// The number with its first digits only.
    func shortened(to count: Int) -> JSONNumber {
        var number = self
        number.digits = Array(digits.prefix(count))
        while number.digits.last == ASCII.zero { number.digits.removeLast() }
        return number
    }

    /// The value as JSON.
    var text: String {
        guard let first = digits.first else { return "0" }
        var text = sign < 0 ? "-" : ""
        text.unicodeScalars.append(Unicode.Scalar(first))
        if digits.count > 1 { text += "." + String(decoding: digits.dropFirst(), as: UTF8.self) }
        return text + "e\(magnitude)"
    }

    package static func < (first: JSONNumber, second: JSONNumber) -> Bool {
        if first.sign != second.sign { return first.sign < second.sign }
        let (small, large) = first.sign < 0 ? (second, first) : (first, second)
        if small.magnitude != large.magnitude { return small.magnitude < large.magnitude }
        return small.digits.lexicographicallyPrecedes(large.digits)
    }
}

/// A JSON value that is neither an object nor an array. Values are ordered by their types, in the order
/// of the cases, and then by value.
package enum JSONScalar: Sendable, Comparable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    /// UTF-8, whose order is that of the code points.
    case string([UInt8])

    /// - Parameter text: one canonical value.
    /// - Returns: nil for an object or array.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        switch JSONKind(firstByte: text[0]) {
        case .object, .array: return nil
        case .null: self = .null
        case .boolean: self = .boolean(text[0] == UInt8(ascii: "t"))
        case .number: self = .number(JSONNumber(text[...]))
        case .string:
            var string: [UInt8] = []
            _ = text.decodeString(from: 1, into: &string)
            self = .string(string)
        }
    }

    package static func < (first: JSONScalar, second: JSONScalar) -> Bool {
        switch (first, second) {
        case (.boolean(let first), .boolean(let second)): !first && second
        case (.number(let first), .number(let second)): first < second
        case (.string(let first), .string(let second)): first.lexicographicallyPrecedes(second)
        default: first.rank < second.rank
        }
    }

    /// Compares a value with this one without copying it: negative if it is less, 0 if it is equal.
    ///
    /// - Parameter text: one canonical value.
    /// - Returns: nil if it has another type.
    func order(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        switch (self, JSONKind(firstByte: text[0])) {
        case (.null, .null): return 0
        case (.boolean(let value), .boolean):
            return (text[0] == UInt8(ascii: "t") ? 1 : 0) - (value ? 1 : 0)
        case (.number(let number), .number): return number.order(of: DecimalText(text[...]))
        case (.string(let string), .string):
            let content = text.dropFirst().dropLast()
            guard content.contains(ASCII.backslash) else { return content.order(to: string) }
            var decoded: [UInt8] = []
            _ = text.decodeString(from: 1, into: &decoded)
            return decoded.order(to: string)
        default: return nil
        }
    }

    /// The place of the type.
    private var rank: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .number: 2
        case .string: 3
        }
    }
}

extension DecimalText {
    /// -1, 0 or 1.
    fileprivate var sign: Int { isZero ? 0 : isNegative ? -1 : 1 }
}

extension Sequence<UInt8> {
    /// Negative if these bytes precede the others, and 0 if they are equal.
    fileprivate func order(to others: [UInt8]) -> Int {
        if elementsEqual(others) { return 0 }
        return lexicographicallyPrecedes(others) ? -1 : 1
    }
}
