/// Why a JSON text does not have the structure that its reader expects.
package struct JSONTypeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of this error.
    package enum Kind: Equatable, Sendable {
        /// A value of another kind.
        case wrongType(expected: JSONKind, found: JSONKind)
        /// A number with a fractional part instead of an integer.
        case notAnInteger
        /// An integer that does not fit in an `Int`.
        case integerOutOfRange
        /// A member that the object must not have. `allowed` are the names of those that it may have;
        /// empty if they are not known.
        case unknownMember(String, allowed: [String])
        /// A missing member.
        case missingMember(String)
        /// A value of the right type that is refused; the sentence gives the reason for the client.
        case invalid(String)
    }

    /// The kind of the error.
    package let kind: Kind
    /// The JSON Pointer (RFC 6901) of the value or member; for a missing member, of its object. It
    /// ends before a name longer than 128 bytes.
    package let pointer: String

    /// Creates an error, for custom readers.
    package init(kind: Kind, pointer: String) {
        self.kind = kind
        self.pointer = pointer
    }

    /// The maximum length of an unknown member's name in the description, in characters.
    private static let maximumShownName = 64

    /// One to three sentences for the client. The only part of the text is the name of an unknown
    /// member.
    package var description: String {
        switch kind {
        case .wrongType(let expected, let found):
            "Expected \(expected.phrase), found \(found.phrase)."
        case .notAnInteger: "Expected an integer, found a number with a fraction."
        case .integerOutOfRange: "The integer is too large."
        case .unknownMember(let name, let allowed):
            "The member \"\(name.prefix(Self.maximumShownName))\" is not allowed here."
                + (allowed.isEmpty ? "" : " Allowed: \(allowed.joined(separator: ", ")).")
                + (allowed.contains("data") ? " An app's own values belong in data." : "")
        case .missingMember(let name): "The member \"\(name)\" is missing."
        case .invalid(let reason): reason
        }
    }

    /// The description after the place, for people who do not see the pointer.
    package var located: String { (pointer.isEmpty ? "" : "\(pointer): ") + description }
}
