/// Why bytes are not a valid JSON text.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of this error.
    package enum Kind: String, Sendable, CaseIterable {
        /// No value: the text is empty or only white space.
        case empty
        /// The text starts with a byte order mark.
        case byteOrderMark
        /// The text ends inside a value.
        case unexpectedEnd
        /// Another character instead of a value.
        case expectedValue
        /// Another character instead of a member's name.
        case expectedName
        /// Another character instead of the colon after a member's name.
        case expectedColon
        /// Another character instead of a comma or the end of the array or object.
        case expectedCommaOrEnd
        /// Something follows the value.
        case trailingBytes
        /// A malformed number: a leading zero, no digit after the point, …
        case invalidNumber
        /// A number that rounds to infinity as a double.
        case numberOutOfRange
        /// A byte below 0x20, other than NUL, in a string.
        case controlCharacter
        /// NUL in a string, as a byte or as an escape.
        case nul
        /// A backslash with a character that JSON does not define.
        case invalidEscape
        /// An escaped half of a surrogate pair, without the other half.
        case loneSurrogate
        /// Bytes in a string that are not well-formed UTF-8.
        case invalidUTF8
        /// A name that occurs twice in an object.
        case duplicateMember
        /// An array or object nested too deeply.
        case tooDeep
    }

    /// The kind of the error.
    package let kind: Kind
    /// The JSON Pointer (RFC 6901) of the value or member; if a name is invalid, of its object. It
    /// ends before a name longer than 128 bytes.
    package let pointer: String
    /// The offset in bytes of the wrong byte, or of the start of the wrong number, name, array or
    /// object.
    package let offset: Int

    /// Creates an error, for custom readers.
    package init(kind: Kind, pointer: String, offset: Int) {
        self.kind = kind
        self.pointer = pointer
        self.offset = offset
    }

    /// One sentence for the client, without any part of the text.
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
        case .invalidNumber: "The number is malformed"
        case .numberOutOfRange: "The number is too large for a double"
        case .controlCharacter: "Control characters in strings must be escaped"
        case .nul: "Strings must not contain NUL"
        case .invalidEscape: "The escape is not defined in JSON"
        case .loneSurrogate: "The escaped surrogate has no other half"
        case .invalidUTF8: "The string is not valid UTF-8"
        case .duplicateMember: "The object has two members with this name"
        case .tooDeep: "Arrays and objects are nested too deeply"
        }
    }
}
