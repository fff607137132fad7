/// The query of a request's target, as `application/x-www-form-urlencoded`.
///
/// It is parsed at each use, because most requests have no query. A `%` without two hexadecimal
/// digits after it stands for itself, and bytes that are not UTF-8 become U+FFFD.
package struct Query: Sendable {
    /// The part after the first `?`, undecoded; empty without a `?`.
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
        var rest = raw.utf8[...]
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            let pairName = pair.prefix { $0 != UInt8(ascii: "=") }
            if decode(pairName) == name { return decode(pair.dropFirst(pairName.count + 1)) }
            rest = rest.dropFirst(pair.count + 1)
        }
        return nil
    }

    private func decode(_ bytes: Substring.UTF8View) -> String {
        let isEncoded = bytes.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
        guard isEncoded else { return String(Substring(bytes)) }
        let spaced = bytes.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        var decoded: [UInt8] = []
        guard appendPercentDecoded(spaced, to: &decoded) else {
            return String(decoding: spaced, as: UTF8.self)
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
