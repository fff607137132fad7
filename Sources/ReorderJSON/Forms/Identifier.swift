/// The ids of lists, sections and tasks: 1 to 64 characters of `A-Z a-z 0-9 . _ ~ -`, which need no
/// escaping in a URL. `.` and `..` are excluded, because clients and proxies remove them from
/// paths.
package enum Identifier {
    package static let maximumBytes = 64

    package static let rule =
        "An id must have 1 to 64 characters of A-Z, a-z, 0-9, \".\", \"_\", \"~\" and \"-\", but not be \".\" or \"..\"."

    package static func isValid(_ id: String) -> Bool {
        (1...maximumBytes).contains(id.utf8.count) && id != "." && id != ".."
            && id.utf8.allSatisfy(isByte)
    }

    /// Whether an id may contain the byte.
    package static func isByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Converts a client's reference for a lookup. Swift's `==` compares characters, not bytes, and
    /// treats the kelvin sign as equal to "K". Ids are ASCII, so non-ASCII references are converted
    /// to text that no id can equal. Different references stay different.
    package static func lookup(_ text: String) -> String {
        // Only ASCII has as many bytes as UTF-16 units. For most ASCII texts, both counts are known.
        guard text.utf8.count != text.utf16.count else { return text }
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
    /// Reads a client's reference to a list, section or task, which need not exist. All references
    /// of clients are read by this function.
    package mutating func readReference() throws(JSONTypeError) -> String {
        Identifier.lookup(try readString())
    }

    /// Reads a reference or null.
    package mutating func readReferenceOrNull() throws(JSONTypeError) -> String? {
        readNull() ? nil : try readReference()
    }

    /// Reads the id of something new.
    package mutating func readIdentifier() throws(JSONTypeError) -> String {
        let id = try readString()
        guard Identifier.isValid(id) else { throw invalid(Identifier.rule) }
        return id
    }

    /// Reads a title of at most 4 KiB of UTF-8.
    package mutating func readTitle() throws(JSONTypeError) -> String {
        let title = try readString()
        guard title.utf8.count <= FormLimits.titleBytes else {
            throw invalid("A title must have at most \(FormLimits.titleBytes) bytes of UTF-8.")
        }
        return title
    }

    /// Reads a nonnegative integer.
    package mutating func readCount() throws(JSONTypeError) -> Int {
        let count = try readInt()
        guard count >= 0 else { throw invalid("The number must be 0 or more.") }
        return count
    }

    /// Reads a string or null.
    package mutating func readStringOrNull() throws(JSONTypeError) -> String? {
        readNull() ? nil : try readString()
    }

    /// Reads a value of an enumeration.
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
