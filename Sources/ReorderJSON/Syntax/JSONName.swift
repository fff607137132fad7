/// A member's name, for comparison with literals (`case "task":`) without allocation. It can be the raw value of an enumeration, which
/// then is the table of an object's members.
package struct JSONName: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The maximum length of a literal, in bytes.
    @usableFromInline static let longest = 24

    @usableFromInline let words: (UInt64, UInt64, UInt64)
    @usableFromInline let count: Int

    /// Stores the first bytes of `name`.
    @inlinable
    @inline(__always)
    init(_ name: UnsafeBufferPointer<UInt8>) {
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &words) { words in
            words.copyMemory(
                from: UnsafeRawBufferPointer(
                    start: name.baseAddress, count: min(name.count, Self.longest)))
        }
        self.words = words
        count = name.count
    }

    /// - Parameter literal: at most 24 bytes of UTF-8.
    @inlinable
    @inline(__always)
    package init(stringLiteral literal: StaticString) {
        assert(literal.utf8CodeUnitCount <= Self.longest, "too long to be compared")
        self.init(
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @inlinable
    @inline(__always)
    package static func == (name: JSONName, other: JSONName) -> Bool {
        name.count == other.count && name.words.0 == other.words.0
            && name.words.1 == other.words.1 && name.words.2 == other.words.2
    }

    /// Whether the name is `literal`, of at most 24 bytes of UTF-8. O(1).
    @inlinable
    @inline(__always)
    package static func ~= (literal: StaticString, name: JSONName) -> Bool {
        name.count == literal.utf8CodeUnitCount && name == JSONName(stringLiteral: literal)
    }

    /// The first 24 bytes of the name.
    package var description: String {
        withUnsafeBytes(of: words) { String(decoding: $0.prefix(count), as: UTF8.self) }
    }
}
