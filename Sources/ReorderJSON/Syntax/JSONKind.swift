/// The kinds of JSON values.
package enum JSONKind: String, Sendable {
    case object, array, string, number, boolean, null

    /// The kind of the value that begins with `byte`.
    @inline(__always)
    init(firstByte byte: UInt8) {
        switch byte {
        case ASCII.openBrace: self = .object
        case ASCII.openBracket: self = .array
        case ASCII.quote: self = .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
        case UInt8(ascii: "n"): self = .null
        default: self = .number
        }
    }

    /// The kind with its article, as in "expected a string".
    var phrase: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "true or false"
        case .null: "null"
        }
    }
}
