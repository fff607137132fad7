/// What stands for an id in the index, in 16 bytes: a UUID whole, of any other id a hash.
///
/// Comparing the keys of UUIDs compares the ids, so that finding a task by one needs no look at the
/// task's text, which at a million tasks is one wait for memory more.
struct IDKey: BitwiseCopyable, Equatable {
    private let low: UInt64
    /// Bits 2 and 3 are 1 and 0 or 0 and 1 for a UUID, 0 for other ids.
    private let high: UInt64

    /// In each UUID of RFC 9562 these two bits are the same, the variant; so here they tell how
    /// the UUID is written.
    private static var formMask: UInt64 { 0b1100 }
    private static var lowercase: UInt64 { 0b1000 }
    private static var uppercase: UInt64 { 0b0100 }

    @inline(__always)
    init(_ id: UnsafeBufferPointer<UInt8>) {
        if let key = Self(uuid: UnsafeRawBufferPointer(id)) {
            self = key
            return
        }
        // The standard library's hash function, SipHash with a seed drawn at the start of the
        // process: without knowing it nobody can make up ids that collide.
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(id))
        low = UInt64(truncatingIfNeeded: hasher.finalize())
        high = 0
    }

    /// Without a branch.
    @inline(__always)
    static func == (one: IDKey, other: IDKey) -> Bool {
        (one.low ^ other.low) | (one.high ^ other.high) == 0
    }

    /// That of no id.
    static var none: IDKey { IDKey(low: 0, high: 0) }

    private init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

    /// Whether ids are the same where their keys are; else they must be compared.
    @inline(__always)
    var isWholeID: Bool { high & Self.formMask != 0 }

    /// What decides where the index keeps it; seeded as above.
    @inline(__always)
    var hash: UInt32 {
        guard isWholeID else { return UInt32(truncatingIfNeeded: low) }
        var hasher = Hasher()
        hasher.combine(low)
        hasher.combine(high)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// Nil where the id is no UUID, or its digits are not of one case.
    @inline(__always)
    private init?(uuid id: UnsafeRawBufferPointer) {
        let dash = UInt8(ascii: "-")
        guard id.count == 36, id[8] == dash, id[13] == dash, id[18] == dash, id[23] == dash else {
            return nil
        }
        @inline(__always)
        func four(_ offset: Int) -> UInt64 {
            UInt64(id.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian)
        }
        @inline(__always)
        func eight(_ one: Int, _ other: Int) -> UInt64 { four(one) | four(other) &<< 32 }
        let characters = SIMD4(eight(0, 4), eight(9, 14), eight(19, 24), eight(28, 32))

        // All of them at once: 0 to 9 from the low bits, and 9 more for a letter.
        let isLetter = (characters &>> 6) & Self.each(1)
        let values = (characters & Self.each(0x0F)) &+ (isLetter &<< 3) &+ isLetter
        guard values & Self.each(0xF0) == .zero else { return nil }
        // What they are written like tells whether they were digits at all.
        let aboveNine = ((values &+ Self.each(6)) &>> 4) & Self.each(1)
        let upper = values &+ Self.each(0x30) &+ (aboveNine &<< 3) &- aboveNine
        let isLower = characters == upper | (aboveNine &<< 5)
        guard isLower || characters == upper else { return nil }

        var packed = (values | (values &>> 4)) & SIMD4(repeating: 0x00FF_00FF_00FF_00FF)
        packed = (packed | (packed &>> 8)) & SIMD4(repeating: 0x0000_FFFF_0000_FFFF)
        packed = (packed | (packed &>> 16)) & SIMD4(repeating: 0xFFFF_FFFF)
        low = packed[0] | packed[1] &<< 32
        let rest = packed[2] | packed[3] &<< 32
        guard rest & Self.formMask == Self.lowercase else { return nil }
        high = isLower ? rest : rest ^ (Self.lowercase | Self.uppercase)
    }

    @inline(__always)
    private static func each(_ byte: UInt64) -> SIMD4<UInt64> {
        SIMD4(repeating: byte &* 0x0101_0101_0101_0101)
    }
}
