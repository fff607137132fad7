/// Why a JSON text does not have the form that its reader wants.
package struct JSONTypeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error, as a sentence.
    package enum Kind: Equatable, Sendable {
        /// A value of another kind.
        case wrongType(expected: JSONKind, found: JSONKind)
        /// A number with a fraction where an integer is wanted.
        case notAnInteger
        /// An integer that `Int` does not hold.
        case integerOutOfRange
        /// A member that the object may not have.
        case unknownMember
        /// A member that the object must have.
        case missingMember(String)
        /// A value of the right type that is refused; the sentence says why, for the client.
        case invalid(String)
    }

    /// The error, as a sentence.
    package let kind: Kind
    /// The JSON Pointer (RFC 6901) of the value or member concerned; of a missing member, of the
    /// object that lacks it. It ends before a name longer than 128 bytes.
    package let pointer: String

    /// Creates an error, for custom readers.
    package init(kind: Kind, pointer: String) {
        self.kind = kind
        self.pointer = pointer
    }

    /// One sentence for the client. It holds no part of the text.
    package var description: String {
        switch kind {
        case .wrongType(let expected, let found):
            "Expected \(expected.phrase), found \(found.phrase)."
        case .notAnInteger: "Expected an integer, found a number with a fraction."
        case .integerOutOfRange: "The integer is too large."
        case .unknownMember: "The object may not have this member."
        case .missingMember(let name): "The member \"\(name)\" is missing."
        case .invalid(let reason): reason
        }
    }
}
