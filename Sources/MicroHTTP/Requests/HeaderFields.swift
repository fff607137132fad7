/// Header fields in the order in which they are sent; names compare without regard to case.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    package struct Field: Sendable {
        package let name: String
        package let value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of that name. Setting a value replaces all fields of that name; setting
    /// `nil` removes them.
    package subscript(name: String) -> String? {
        get { fields.first { equalIgnoringCase($0.name, name) }?.value }
        set {
            fields.removeAll { equalIgnoringCase($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Adds a field, and keeps the fields of the same name.
    package mutating func add(_ name: String, _ value: String) {
        if fields.isEmpty { fields.reserveCapacity(4) }
        fields.append(Field(name: name, value: value))
    }
}

/// Whether two header names (ASCII) are the same.
func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
}

func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}
