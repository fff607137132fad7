/// The query of a request's target, as `application/x-www-form-urlencoded`.
///
/// A `%` without two hexadecimal digits after it stands for itself, and bytes that are not UTF-8
/// become U+FFFD. Then `malformedName` is not nil.
package struct Query: Sendable {
    /// The part after the first `?`, undecoded; empty without a `?`.
    package let raw: String
    /// Names and values, decoded, in order; repeated names are kept.
    package let pairs: [(name: String, value: String)]
    /// The name of the first parameter that is not percent-encoded UTF-8, or whose value is not; nil if
    /// there is none.
    package let malformedName: String?

    /// An empty query.
    init() {
        raw = ""
        pairs = []
        malformedName = nil
    }

    /// Complexity: O(`text`).
    init(_ text: ArraySlice<UInt8>) {
        raw = String(decoding: text, as: UTF8.self)
        var malformedName: String?
        pairs = text.split(separator: UInt8(ascii: "&")).map { pair in
            let bytes = pair.prefix { $0 != UInt8(ascii: "=") }
            let (name, value) = (decode(bytes), decode(pair.dropFirst(bytes.count + 1)))
            if !name.isValid || !value.isValid { malformedName = malformedName ?? name.text }
            return (name.text, value.text)
        }
        self.malformedName = malformedName
    }

    /// The first value of that name. Complexity: O(`pairs`).
    package subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }
}

private func decode(_ bytes: ArraySlice<UInt8>) -> (text: String, isValid: Bool) {
    let isPlain = !bytes.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
    guard !isPlain else { return text(of: bytes) }
    let spaced = bytes.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    var decoded: [UInt8] = []
    guard appendPercentDecoded(spaced, to: &decoded) else {
        return (String(decoding: spaced, as: UTF8.self), false)
    }
    return text(of: decoded[...])
}

/// The text of UTF-8 bytes. Malformed bytes are replaced, so that the text has others.
private func text(of bytes: ArraySlice<UInt8>) -> (text: String, isValid: Bool) {
    let text = String(decoding: bytes, as: UTF8.self)
    return (text, text.utf8.elementsEqual(bytes))
}
