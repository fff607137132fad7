/// The query of a request's target, as `application/x-www-form-urlencoded`.
///
/// A `%` without two hexadecimal digits after it stands for itself, and bytes that are not UTF-8
/// become U+FFFD.
package struct Query: Sendable {
    /// The part after the first `?`, undecoded; empty without a `?`.
    package let raw: String
    /// Names and values, decoded, in order; repeated names are kept.
    package let pairs: [(name: String, value: String)]

    /// An empty query.
    init() {
        raw = ""
        pairs = []
    }

    /// Complexity: O(`text`).
    init(_ text: ArraySlice<UInt8>) {
        raw = String(decoding: text, as: UTF8.self)
        pairs = text.split(separator: UInt8(ascii: "&")).map { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return (decode(name), decode(pair.dropFirst(name.count + 1)))
        }
    }

    /// The first value of that name. Complexity: O(`pairs`).
    package subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }
}

private func decode(_ bytes: ArraySlice<UInt8>) -> String {
    let isEncoded = bytes.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
    guard isEncoded else { return String(decoding: bytes, as: UTF8.self) }
    let spaced = bytes.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    var decoded: [UInt8] = []
    guard appendPercentDecoded(spaced, to: &decoded) else {
        return String(decoding: spaced, as: UTF8.self)
    }
    return String(decoding: decoded, as: UTF8.self)
}
