/// An order of tasks by a value of their `data`, as a query writes it: `data.due`, or `-data.due` for
/// descending values.
package struct DataOrder: Sendable, Equatable {
    /// Strings are ordered by the characters that begin in this number of bytes, and numbers by this
    /// number of their significant digits, because a cursor contains a value.
    package static let comparedBytes = 256
    static let comparedDigits = 64

    private let path: DataPath
    private let isDescending: Bool

    /// A number that distinguishes orders in cursors, as 8 hexadecimal digits.
    package var mark: String {
        let bytes = path.bytes + (isDescending ? [ASCII.minus] : [])
        let hash = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// - Throws: if the text is not an order.
    package init(_ text: String) throws(DataQueryError) {
        isDescending = text.utf8.first == UInt8(ascii: "-")
        let pathBytes = text.utf8.dropFirst(isDescending ? 1 : 0)
        path = try DataPath(String(decoding: pathBytes, as: UTF8.self))
    }

    /// The value that decides; nil if there is none, and for null, objects and arrays. O(length of the
    /// data).
    ///
    /// - Parameter data: canonical text; nil if the task has none.
    package func key(of data: UnsafeBufferPointer<UInt8>?) -> JSONScalar? {
        let value = data.flatMap { path.value(in: $0) }.flatMap { JSONScalar($0) }
        return value == .null ? nil : value?.shortened
    }

    /// Whether a task with the first value comes before one with the second. Values of different types
    /// are in the order of `JSONScalar`. Tasks without a value are last.
    package func precedes(_ first: JSONScalar?, _ second: JSONScalar?) -> Bool {
        guard let first else { return false }
        guard let second else { return true }
        return isDescending ? second < first : first < second
    }
}

extension BidirectionalCollection<UInt8> {
    /// The part of a UTF-8 text that an order compares: the characters that begin in its first bytes.
    package var comparedBeginning: SubSequence {
        guard var end = index(startIndex, offsetBy: DataOrder.comparedBytes, limitedBy: endIndex)
        else { return self[...] }
        while end < endIndex, self[end] & 0xC0 == 0x80 { formIndex(after: &end) }
        return self[..<end]
    }
}

extension JSONScalar {
    fileprivate var shortened: JSONScalar {
        switch self {
        case .null, .boolean: return self
        case .number(let number): return .number(number.shortened(to: DataOrder.comparedDigits))
        case .string(let string):
            return .string(Array(string.comparedBeginning))
        }
    }

    /// The value as JSON.
    package var json: [UInt8] {
        var writer = JSONWriter()
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.bool(value)
        case .number(let number): writer.raw(number.text.utf8)
        case .string(let string): string.withUnsafeBufferPointer { writer.string(utf8: $0) }
        }
        return writer.takeBytes()
    }

    /// - Returns: nil if the text is not such a value in the form of `json`.
    package init?(json: [UInt8]) {
        guard let text = try? JSONText(checking: json),
            let value = text.bytes.withUnsafeBufferPointer({ JSONScalar($0) }), value.json == json
        else { return nil }
        self = value
    }
}
