/// The ids of lists, sections and tasks: 1 to 64 of `A-Z a-z 0-9 . _ ~ -`, so that they need no
/// escaping in a URL. Not `.` and `..`, which clients and proxies take out of a path.
package enum Identifier {
    package static let maximumBytes = 64

    package static let rule =
        "An id is 1 to 64 of A-Z, a-z, 0-9, \".\", \"_\", \"~\" and \"-\", but not \".\" or \"..\"."

    package static func isValid(_ id: String) -> Bool {
        (1...maximumBytes).contains(id.utf8.count) && id != "." && id != ".."
            && id.utf8.allSatisfy(isByte)
    }

    /// Whether it may stand in an id.
    package static func isByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// A client's reference to something, as it is looked up. Swift's `==` compares characters, not
    /// bytes: it takes the kelvin sign for a "K". Ids are ASCII, so a reference that is not gets
    /// characters that no id has, and names nothing. Different references stay different.
    package static func lookup(_ text: String) -> String {
        let isASCII = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { $0 < 0x80 }
        }
        guard isASCII != true else { return text }
        var reference = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                reference.unicodeScalars.append(scalar)
            } else {
                reference += "\u{FFFD}(\(String(scalar.value, radix: 16)))"
            }
        }
        return reference
    }
}

extension JSONReader {
    /// Reads a client's reference to a list, section or task, which may not exist. What a client sends
    /// to name something is read here and nowhere else.
    package mutating func readReference() throws(JSONTypeError) -> String {
        Identifier.lookup(try readString())
    }

    /// Reads a reference or null.
    package mutating func readReferenceOrNull() throws(JSONTypeError) -> String? {
        readNull() ? nil : try readReference()
    }

    /// Reads an id that something new is to have.
    package mutating func readIdentifier() throws(JSONTypeError) -> String {
        let id = try readString()
        guard Identifier.isValid(id) else { throw invalid(Identifier.rule) }
        return id
    }

    /// Reads a title: at most 4 KiB of UTF-8.
    package mutating func readTitle() throws(JSONTypeError) -> String {
        let title = try readString()
        guard title.utf8.count <= FormLimits.titleBytes else {
            throw invalid("A title has at most \(FormLimits.titleBytes) bytes of UTF-8.")
        }
        return title
    }

    /// Reads an integer that is 0 or more.
    package mutating func readCount() throws(JSONTypeError) -> Int {
        let count = try readInt()
        guard count >= 0 else { throw invalid("The number must be 0 or more.") }
        return count
    }

    /// Reads a string or null.
    package mutating func readStringOrNull() throws(JSONTypeError) -> String? {
        readNull() ? nil : try readString()
    }

    /// Reads one of an enumeration's values.
    package mutating func readCase<Value: RawRepresentable<String> & CaseIterable>(
        of type: Value.Type
    ) throws(JSONTypeError) -> Value {
        let text = try readString()
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw invalid("The value must be one of \(names).")
        }
        return value
    }
}

/// Limits of the forms.
package enum FormLimits {
    /// A title's bytes of UTF-8.
    package static let titleBytes = 4 << 10
    /// The bytes of a task's `data`, without white space.
    package static let dataBytes = 8 << 10
    /// How deep a request's arrays and objects may be nested.
    package static let nesting = 16
    /// How deep `data` may be nested: so that a document, in which it stands three levels down,
    /// still is a request that can be put back.
    package static let dataNesting = nesting - 3
    /// How deep what the server wrote itself may be nested.
    static let storedNesting = nesting + 8
}
