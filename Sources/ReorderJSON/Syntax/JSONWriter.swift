/// Writes compact JSON as bytes, and inserts commas.
///
/// The caller is responsible for the order: a name before each member's value, an end for each
/// begin. Several outermost values are separated by commas, so that parts of an array can be
/// written separately.
package struct JSONWriter: Sendable {
    /// The written bytes and spare capacity. Several bytes at a time are written through a pointer,
    /// because appending single bytes costs more than everything else.
    private var storage = Self.blank
    /// The number of bytes written.
    package private(set) var count = 0
    private var needsComma = false

    /// The storage of a new writer, which the first write copies. That takes less time than creating
    /// an array of zeros, whose type is looked up at run time. The response to a usual move fits.
    /// glibc allocates up to 1,032 bytes, with the array's header, several times faster than more.
    private static let blank = [UInt8](repeating: 0, count: 960)

    /// Creates an empty writer.
    package init() {}

    /// The bytes written. O(length).
    package var bytes: [UInt8] { Array(storage[..<count]) }

    /// Returns the bytes written without copying them; the writer is empty afterwards.
    package mutating func takeBytes() -> [UInt8] {
        storage.removeLast(storage.count - count)
        count = 0
        needsComma = false
        var bytes = Self.blank
        swap(&bytes, &storage)
        return bytes
    }

    /// Reserves capacity for `count` more bytes.
    package mutating func reserve(_ count: Int) {
        let missing = self.count + count - storage.count
        guard missing > 0 else { return }
        if self.count == 0 {
            // Without zeros, which would take memory without being written. Only written bytes are read.
            storage = Array(unsafeUninitializedCapacity: count) { $1 = count }
        } else {
            storage.append(contentsOf: repeatElement(0, count: missing))
        }
    }

    /// Begins an object.
    package mutating func beginObject() { open(ASCII.openBrace) }

    /// Ends the object.
    package mutating func endObject() { close(ASCII.closeBrace) }

    /// Begins an array.
    package mutating func beginArray() { open(ASCII.openBracket) }

    /// Ends the array.
    package mutating func endArray() { close(ASCII.closeBracket) }

    /// Writes a member's name that needs no escapes.
    @inline(__always)
    package mutating func name(_ name: StaticString) {
        let contents = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        assert(contents.needingEscape(from: 0) == contents.count, "the name needs escapes")
        self.name(contents)
    }

    /// Writes the name of a member of a table.
    @inline(__always)
    mutating func name(of member: JSONName) {
        withUnsafeBytes(of: member.words) { bytes in
            name(
                UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[..<member.count]))
        }
    }

    private mutating func name(_ contents: UnsafeBufferPointer<UInt8>) {
        write(atMost: contents.count + 3) { end in
            end.write(ASCII.quote)
            end.write(contents)
            end.write(ASCII.quote)
            end.write(ASCII.colon)
        }
        needsComma = false
    }

    /// Writes a member's name that is not a literal.
    package mutating func name(escaping name: String) {
        string(name)
        needsComma = false
        write(atMost: 1) { end in end.write(ASCII.colon) }
        needsComma = false
    }

    /// Writes an integer.
    package mutating func int(_ value: Int) {
        write(atMost: Self.maximumDigits) { end in end.write(value) }
        needsComma = true
    }

    /// Writes true or false.
    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    /// Writes null.
    package mutating func null() { literal("null") }

    /// Writes a value that is JSON already.
    package mutating func raw(_ text: some Sequence<UInt8>) {
        let written: Void? = text.withContiguousStorageIfAvailable { text in
            write(atMost: text.count) { end in end.write(text) }
        }
        if written == nil { raw(Array(text)) }
        needsComma = true
    }

    /// Appends bytes without a comma before them.
    mutating func append(_ part: UnsafeBufferPointer<UInt8>) {
        needsComma = false
        write(atMost: part.count) { end in end.write(part) }
    }

    /// Appends a byte without a comma before it.
    mutating func append(_ byte: UInt8) {
        needsComma = false
        write(atMost: 1) { end in end.write(byte) }
    }

    private mutating func open(_ byte: UInt8) {
        write(atMost: 1) { end in end.write(byte) }
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        append(byte)
        needsComma = true
    }

    private mutating func literal(_ text: StaticString) {
        write(atMost: text.utf8CodeUnitCount) { end in end.write(text) }
        needsComma = true
    }

    /// The maximum number of bytes of an integer.
    package static let maximumDigits = 20

    /// Writes several parts up to the end of a value in one step.
    ///
    /// - Parameter most: an upper bound of the bytes that `body` writes at the pointer. `body`
    ///   advances the pointer.
    @inline(__always)
    mutating func compose(
        atMost most: Int, _ body: (inout UnsafeMutablePointer<UInt8>) -> Void
    ) {
        write(atMost: most, body)
        needsComma = true
    }

    /// Writes a comma if needed, then calls `body`, which writes at most `most` bytes at the
    /// pointer and advances it.
    @inline(__always)
    private mutating func write(
        atMost most: Int, _ body: (inout UnsafeMutablePointer<UInt8>) -> Void
    ) {
        if storage.count - count <= most { grow(most + 1) }
        let (start, comma) = (count, needsComma)
        count = storage.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return start }
            var end = base + start
            if comma { end.write(ASCII.comma) }
            body(&end)
            return end - base
        }
    }

    @inline(never)
    private mutating func grow(_ missing: Int) { reserve(max(missing, storage.count)) }
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes a byte and advances.
    @inline(__always)
    package mutating func write(_ byte: UInt8) {
        pointee = byte
        self += 1
    }

    /// Writes bytes and advances.
    @inline(__always)
    package mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let start = bytes.baseAddress { initialize(from: start, count: bytes.count) }
        self += bytes.count
    }

    /// Writes a literal and advances.
    @inline(__always)
    mutating func write(_ text: StaticString) {
        write(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func write(_ value: Bool) { value ? write("true") : write("false") }

    /// Writes the decimal digits of a number and advances.
    @inline(__always)
    package mutating func write(_ value: Int) {
        if value < 0 { write(ASCII.minus) }
        // Not `UInt`, which has 32 bits on some watches: then `bound` would overflow.
        var rest = UInt64(value.magnitude)
        if rest < 10 { return write(ASCII.zero &+ UInt8(rest)) }
        var digits = 1
        // Ends at 19 digits, the maximum of an Int.
        var bound: UInt64 = 10
        while rest >= bound {
            digits += 1
            bound *= 10
        }
        for place in stride(from: digits - 1, through: 0, by: -1) {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            self[place] = ASCII.zero + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
        self += digits
    }
}
