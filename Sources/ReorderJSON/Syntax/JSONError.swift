/// The reason why bytes are not a valid JSON text.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error, as a sentence.
    package enum Kind: String, Sendable, CaseIterable {
        /// No value at all: nothing, or white space only.
        case empty
        /// The text starts with a byte order mark.
        case byteOrderMark
        /// The text ends inside a value.
        case unexpectedEnd
        /// Something else stands where a value must begin.
        case expectedValue
        /// Something else stands where a member's name must begin.
        case expectedName
        /// Something else stands where the colon after a member's name must be.
        case expectedColon
        /// Something else stands where a comma or the end of the array or object must be.
        case expectedCommaOrEnd
        /// Something follows the value.
        case trailingBytes
        /// A number not in JSON's form: a leading zero, no digit after the point, …
        case invalidNumber
        /// A number that rounds to infinity as a double.
        case numberOutOfRange
        /// A byte below 0x20, other than NUL, in a string.
        case controlCharacter
        /// NUL in a string, as a byte or as an escape.
        case nul
        /// A backslash with something that JSON does not define.
        case invalidEscape
        /// An escape for one half of a surrogate pair, without the other.
        case loneSurrogate
        /// Bytes in a string that are not well-formed UTF-8.
        case invalidUTF8
        /// A name that the object already has.
        case duplicateMember
        /// An array or object inside as many others as are allowed.
        case tooDeep
    }

    /// The error, as a sentence.
    package let kind: Kind
    /// The JSON Pointer (RFC 6901) of the value or member concerned; where a name itself is
    /// wrong, of the object that holds it. It ends before a name longer than 128 bytes.
    package let pointer: String
    /// Where, in bytes from the start of the text: the byte that is wrong, or the start of the
    /// number, name, array or object that is.
    package let offset: Int

    /// Creates an error, for custom readers.
    package init(kind: Kind, pointer: String, offset: Int) {
        self.kind = kind
        self.pointer = pointer
        self.offset = offset
    }

    /// One sentence for the client. It holds no part of the text.
    package var description: String { "\(kind.sentence), at byte \(offset)." }
}

extension JSONError.Kind {
    fileprivate var sentence: String {
        switch self {
        case .empty: "There is no JSON value"
        case .byteOrderMark: "JSON must not start with a byte order mark"
        case .unexpectedEnd: "The JSON text ends too early"
        case .expectedValue: "A value was expected"
        case .expectedName: "A member's name in double quotes was expected"
        case .expectedColon: "A colon was expected"
        case .expectedCommaOrEnd: "A comma or the end of the array or object was expected"
        case .trailingBytes: "Nothing may follow the JSON value"
        case .invalidNumber: "The number is not in JSON's form"
        case .numberOutOfRange: "The number is too large for a double"
        case .controlCharacter: "Control characters in strings must be escaped"
        case .nul: "Strings must not hold NUL"
        case .invalidEscape: "The escape is not one of JSON's"
        case .loneSurrogate: "The escaped surrogate has no other half"
        case .invalidUTF8: "The string is not valid UTF-8"
        case .duplicateMember: "The object already has a member of this name"
        case .tooDeep: "Arrays and objects are nested too deeply"
        }
    }
}
