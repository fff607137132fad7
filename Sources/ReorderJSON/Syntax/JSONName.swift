/// A member's name, for comparison with literals (`case "task":`) without allocation.
package struct JSONName: Sendable {
    /// The maximum length of a literal, in bytes.
    @usableFromInline static let longest = 24

    @usableFromInline let words: (UInt64, UInt64, UInt64)
    @usableFromInline let count: Int

    /// Stores the first bytes of `name`.
    @usableFromInline
    @inline(__always)
    init(_ name: UnsafeBufferPointer<UInt8>) {
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &words) { words in
            words.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(name).prefix(24)))
        }
        self.words = words
        count = name.count
    }

    /// Whether the name is `literal`, of at most 24 bytes of UTF-8. O(1).
    @inlinable
    package static func ~= (literal: StaticString, name: JSONName) -> Bool {
        assert(literal.utf8CodeUnitCount <= longest, "too long to be compared")
        guard name.count == literal.utf8CodeUnitCount else { return false }
        let words = JSONName(
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        ).words
        return name.words.0 == words.0 && name.words.1 == words.1 && name.words.2 == words.2
    }
}
