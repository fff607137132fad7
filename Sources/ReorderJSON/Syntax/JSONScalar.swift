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
        digits = number.digits
        magnitude = number.magnitude
        sign = digits.isEmpty ? 0 : number.isNegative ? -1 : 1
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

    /// The place of the type.
    var rank: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .number: 2
        case .string: 3
        }
    }
}
