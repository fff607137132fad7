/// The trace that a request belongs to, from the header field `traceparent` (W3C Trace Context). The request is a
/// span of this trace.
package struct TraceContext: Sendable, Equatable {
    /// 32 hexadecimal digits.
    package let traceID: String
    /// The caller's span, 16 hexadecimal digits.
    package let parentID: String
    /// The request's own span, 16 hexadecimal digits.
    package let spanID: String

    /// Parses the field's values.
    ///
    /// - Returns: nil if there is not exactly one value, or it is not valid. Then the request belongs to no trace.
    init?(_ values: [String]) {
        guard values.count == 1, let value = values.first else { return nil }
        let parts = value.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ $0.count == $1 }),
            parts.prefix(4).joined().allSatisfy(Self.isHexadecimal)
        else { return nil }
        // Later versions may have more parts; version ff does not exist.
        guard !parts[0].elementsEqual("ff".utf8),
            parts.count == 4 || !parts[0].elementsEqual("00".utf8),
            Self.isNotZero(parts[1]), Self.isNotZero(parts[2])
        else { return nil }
        traceID = String(Substring(parts[1]))
        parentID = String(Substring(parts[2]))
        let digits = String(UInt64.random(in: 1 ... .max), radix: 16)
        spanID = String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }

    private static func isNotZero(_ digits: Substring.UTF8View) -> Bool {
        digits.contains { $0 != UInt8(ascii: "0") }
    }
}
