/// Writes JSON into bytes, compact, with the commas where they belong.
///
/// The caller keeps the order: a name before each member's value, an end for each begin. Several
/// outermost values are separated by commas, so that parts of an array can be written apart.
package struct JSONWriter: Sendable {
    /// What was written.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Begins with nothing.
    package init() {}

    /// Makes room for `count` more bytes.
    package mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count)
    }

    /// Begins an object.
    package mutating func beginObject() { open(ASCII.openBrace) }

    /// Ends the object.
    package mutating func endObject() { close(ASCII.closeBrace) }

    /// Begins an array.
    package mutating func beginArray() { open(ASCII.openBracket) }

    /// Ends the array.
    package mutating func endArray() { close(ASCII.closeBracket) }

    /// Writes a member's name, which must not need escapes.
    package mutating func name(_ name: StaticString) {
        let contents = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        assert(contents.needingEscape(from: 0) == contents.count, "the name needs escapes")
        separate()
        bytes.append(ASCII.quote)
        bytes.append(contentsOf: contents)
        bytes.append(ASCII.quote)
        bytes.append(ASCII.colon)
        needsComma = false
    }

    /// Writes a member's name that is known only as it runs.
    package mutating func name(escaping name: String) {
        string(name)
        bytes.append(ASCII.colon)
        needsComma = false
    }

    /// Writes an integer.
    package mutating func int(_ value: Int) {
        separate()
        if value < 0 { bytes.append(ASCII.minus) }
        var rest = value.magnitude
        if rest < 10 {
            bytes.append(ASCII.zero + UInt8(truncatingIfNeeded: rest))
        } else {
            let start = bytes.count
            while rest > 0 {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                bytes.append(ASCII.zero + UInt8(truncatingIfNeeded: digit))
                rest = quotient
            }
            bytes[start...].reverse()
        }
        needsComma = true
    }

    /// Writes true or false.
    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    /// Writes null.
    package mutating func null() { literal("null") }

    /// Writes a value that is JSON already.
    package mutating func raw(_ text: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
        needsComma = true
    }

    @inline(__always)
    mutating func append(_ part: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: part) }

    @inline(__always)
    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    @inline(__always)
    mutating func separate() {
        if needsComma { bytes.append(ASCII.comma) }
        needsComma = true
    }

    @inline(__always)
    private mutating func open(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        needsComma = false
    }

    @inline(__always)
    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    @inline(__always)
    private mutating func literal(_ text: StaticString) {
        separate()
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
