import Glibc

/// The head of a request: the received bytes, and the ranges of its target and header fields in them.
///
/// A lookup walks the fields. A request has few fields, so this is faster than a dictionary for
/// each request. Names compare without regard to case.
package struct RequestHead: Sendable {
    private struct Field {
        let nameStart, nameEnd, valueStart, valueEnd: UInt32

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    private(set) var bytes: [UInt8] = []
    private var places: [Field] = []
    /// The bits of the names (see `bit`). If the bit of a name is not set, the field is missing.
    @usableFromInline private(set) var nameBits: UInt64 = 0
    private var pathRange = 0..<0
    /// The part after the first `?` of the target; nil without a `?`.
    private(set) var queryRange: Range<Int>?
    /// Whether there is a `Content-Type` other than plain `application/json`.
    package private(set) var hasOtherType = false

    init() {}

    /// Moves the head out without a copy. It is empty afterwards.
    mutating func take() -> RequestHead {
        var taken = RequestHead()
        swap(&taken, &self)
        return taken
    }

    /// Empties the head, and keeps some of its memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytes)
        places.removeAll(keepingCapacity: places.capacity <= Self.keptFields)
        nameBits = 0
        pathRange = 0..<0
        queryRange = nil
        hasOtherType = false
    }

    /// Enough for nearly all heads. Idle connections keep this memory.
    private static let keptBytes = 2 << 10
    private static let keptFields = 64

    // MARK: Building

    /// Starts an empty head.
    mutating func begin(
        _ head: UnsafeBufferPointer<UInt8>, path: Range<Int>, query: Range<Int>?
    ) {
        bytes.append(contentsOf: head)
        pathRange = path
        queryRange = query
    }

    /// Adds a field that is in the head's bytes.
    mutating func add(name: Range<Int>, value: Range<Int>) {
        nameBits |= Self.bit(count: name.count, first: bytes[name.lowerBound])
        bytes.withUnsafeBufferPointer { bytes in
            if UnsafeBufferPointer(rebasing: bytes[name]).equalsIgnoringCase("content-type"),
                !UnsafeBufferPointer(rebasing: bytes[value]).equalsIgnoringCase("application/json")
            {
                hasOtherType = true
            }
        }
        places.append(
            Field(
                nameStart: UInt32(truncatingIfNeeded: name.lowerBound),
                nameEnd: UInt32(truncatingIfNeeded: name.upperBound),
                valueStart: UInt32(truncatingIfNeeded: value.lowerBound),
                valueEnd: UInt32(truncatingIfNeeded: value.upperBound)))
    }

    init(target: String, headers: HeaderFields) {
        let target = Array(target.utf8)
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        target.withUnsafeBufferPointer {
            begin($0, path: 0..<(mark ?? $0.count), query: mark.map { $0 + 1..<target.count })
        }
        for field in headers.fields where !field.name.isEmpty {
            let start = bytes.count
            bytes += field.name.utf8
            let middle = bytes.count
            bytes += field.value[...].trimmingBlanks().utf8
            add(name: start..<middle, value: middle..<bytes.count)
        }
    }

    // MARK: The target

    /// The path, undecoded.
    var path: ArraySlice<UInt8> { bytes[pathRange] }
    /// The part after the first `?`, undecoded.
    var query: ArraySlice<UInt8> { bytes[queryRange ?? 0..<0] }

    func withPath<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[pathRange])) }
    }

    // MARK: Header fields

    /// The first value of that name. Complexity: O(number of fields).
    @inlinable
    package subscript(name: StaticString) -> String? { mayHave(name) ? value(of: name) : nil }

    @usableFromInline
    func value(of name: StaticString) -> String? {
        guard let field = firstIndex(of: name, from: 0) else { return nil }
        return String(decoding: bytes[places[field].value], as: UTF8.self)
    }

    /// Whether there is a field of that name. Complexity: O(number of fields).
    @inlinable
    package func contains(_ name: StaticString) -> Bool { mayHave(name) && has(name) }

    @usableFromInline
    func has(_ name: StaticString) -> Bool { firstIndex(of: name, from: 0) != nil }

    /// Calls `body` with the value of that name if there is exactly one. Creates no string for the
    /// value. Complexity: O(number of fields).
    package func withOnly<Result>(
        _ name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> Result?
    ) -> Result? {
        guard mayHave(name), let field = firstIndex(of: name, from: 0),
            firstIndex(of: name, from: field + 1) == nil
        else { return nil }
        return bytes.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[places[field].value]))
        }
    }

    /// Whether the body has this media type, with or without parameters. Complexity: O(number of fields).
    func hasMediaType(_ type: StaticString) -> Bool {
        withOnly("content-type") { value in
            let end = value.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
            return UnsafeBufferPointer(rebasing: value[..<end].trimmed).equalsIgnoringCase(type)
        } ?? false
    }

    /// All values of that name, in order. Complexity: O(number of fields).
    package func all(_ name: StaticString) -> [String] {
        var found: [String] = []
        guard mayHave(name) else { return found }
        var start = 0
        while let field = firstIndex(of: name, from: start) {
            found.append(String(decoding: bytes[places[field].value], as: UTF8.self))
            start = field + 1
        }
        return found
    }

    /// All fields, in order, without the white space around their values.
    package var fields: [HeaderFields.Field] {
        places.map { field in
            HeaderFields.Field(
                name: String(decoding: bytes[field.name], as: UTF8.self),
                value: String(decoding: bytes[field.value], as: UTF8.self))
        }
    }

    /// Whether there can be a field of that name. Inlined, because most requests lack most fields.
    @inlinable
    @inline(__always)
    func mayHave(_ name: StaticString) -> Bool {
        nameBits & Self.bit(count: name.utf8CodeUnitCount, first: name.utf8Start[0]) != 0
    }

    private func firstIndex(of name: StaticString, from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            places[start...].firstIndex { place in
                UnsafeBufferPointer(rebasing: bytes[place.name]).equalsIgnoringCase(name)
            }
        }
    }

    @inlinable
    static func bit(count: Int, first: UInt8) -> UInt64 {
        1 << UInt64(truncatingIfNeeded: (count &* 5 &+ Int(first | 0x20)) & 63)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these are the bytes of a text.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let start = baseAddress else { return false }
        return memcmp(start, text.utf8Start, count) == 0
    }

    /// Whether these are the bytes of a text of letters, digits, `-`, `.` and `/`, in any case.
    @inline(__always)
    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && hasLetters(of: text)
    }

    private func hasLetters(of text: StaticString) -> Bool {
        guard let start = baseAddress else { return false }
        let other = text.utf8Start
        guard count >= 8 else {
            return (0..<count).allSatisfy { lowercased(start[$0]) == lowercased(other[$0]) }
        }
        // Eight bytes at once. The last ones can overlap those before.
        var index = 0
        while index < count {
            let next = Swift.min(index, count - 8)
            if folded(start + next) != folded(other + next) { return false }
            index += 8
        }
        return true
    }
}

/// Eight bytes without the case of letters. Only letters are mapped to letters.
private func folded(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    let word = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
    return word | (word & 0x4040_4040_4040_4040) >> 1
}

extension Substring {
    /// Without spaces and tabs at both ends.
    package func trimmingBlanks() -> Substring {
        var part = self
        while part.first == " " || part.first == "\t" { part.removeFirst() }
        while part.last == " " || part.last == "\t" { part.removeLast() }
        return part
    }
}
