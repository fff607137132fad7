/// The query of a request's target, as `application/x-www-form-urlencoded`.
///
/// Parsed when asked for, not before: most requests have none. A `%` that is not followed by two
/// hexadecimal digits stands for itself, and bytes that are no UTF-8 become U+FFFD.
package struct Query: Sendable {
    /// What follows the first `?`, undecoded; empty where there is none.
    package let raw: String

    /// Names and values, decoded, in order; repeated names are kept. Complexity: O(`raw`).
    package var pairs: [(name: String, value: String)] {
        raw.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return (decode(name), decode(pair.dropFirst(name.count + 1)))
        }
    }

    /// The first value of that name. Complexity: O(`raw`).
    package subscript(name: String) -> String? {
        raw.isEmpty ? nil : pairs.first { $0.name == name }?.value
    }

    private func decode(_ bytes: Substring.UTF8View) -> String {
        let spaced = bytes.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        var decoded: [UInt8] = []
        guard appendPercentDecoded(spaced, to: &decoded) else {
            return String(decoding: spaced, as: UTF8.self)
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
