/// A text block in memory, for reading: three times, three authors, flags, three lengths, then the
/// bytes.
///
/// The lengths are variable-length numbers (seven bits per byte, low ones first), so the usual
/// block has a header of 40 bytes. The length of the data is stored plus one; 0 means no data. An
/// author is a number of `AuthorNames`. The stamps are stored with the texts because a move reads
/// the id and writes a stamp.
struct TextBlock {
    private let base: UnsafeRawPointer

    @inline(__always)
    init(_ base: UnsafeRawPointer) { self.base = base }
    init(_ base: UnsafeMutableRawPointer) { self.base = UnsafeRawPointer(base) }

    static var doneBit: UInt8 { 1 }
    static var lockedBit: UInt8 { 2 }
    private static var freeBit: UInt8 { 4 }
    private static var createdOffset: Int { 8 }
    private static var completedOffset: Int { 16 }
    private static var createdByOffset: Int { 24 }
    private static var updatedByOffset: Int { 28 }
    private static var completedByOffset: Int { 32 }
    private static var flagsOffset: Int { 36 }
    private static var lengthsOffset: Int { 37 }
    /// An unknown time.
    private static var unknown: Int64 { .min }

    typealias Bytes = UnsafeBufferPointer<UInt8>

    var flags: UInt8 { base.load(fromByteOffset: Self.flagsOffset, as: UInt8.self) }
    var isFree: Bool { flags & Self.freeBit != 0 }

    /// The times and the authors' numbers; see `TaskStamps`.
    struct Stamps {
        var createdAt: Int64?
        var updatedAt: Int64?
        var completedAt: Int64?
        var createdBy: UInt32
        var updatedBy: UInt32
        var completedBy: UInt32
    }

    @inline(__always)
    var stamps: Stamps {
        Stamps(
            createdAt: time(at: Self.createdOffset), updatedAt: time(at: 0),
            completedAt: time(at: Self.completedOffset),
            createdBy: base.load(fromByteOffset: Self.createdByOffset, as: UInt32.self),
            updatedBy: base.load(fromByteOffset: Self.updatedByOffset, as: UInt32.self),
            completedBy: base.load(fromByteOffset: Self.completedByOffset, as: UInt32.self))
    }

    @inline(__always)
    private func time(at offset: Int) -> Int64? {
        let time = base.load(fromByteOffset: offset, as: Int64.self)
        return time == Self.unknown ? nil : time
    }

    var parts: (id: Bytes, title: Bytes, data: Bytes?) {
        let layout = layout()
        return (layout.id, layout.title, layout.data)
    }
    var id: Bytes { layout().id }
    var title: Bytes { layout().title }
    /// nil if the task has no data.
    var data: Bytes? { layout().data }

    /// The size of the block, including padding.
    var byteCount: Int {
        let parts = layout()
        let end = Self.lengthsOffset + parts.headerBytes + parts.id.count + parts.title.count
        return (end + (parts.data?.count ?? 0) + 7) & ~7
    }

    @inline(__always)
    private func layout() -> (headerBytes: Int, id: Bytes, title: Bytes, data: Bytes?) {
        var offset = Self.lengthsOffset
        let idCount = length(&offset)
        let titleCount = length(&offset)
        let dataCount = length(&offset)
        let bytes = (base + offset).assumingMemoryBound(to: UInt8.self)
        let data =
            dataCount == 0
            ? nil : Bytes(start: bytes + idCount + titleCount, count: dataCount - 1)
        return (
            offset - Self.lengthsOffset, Bytes(start: bytes, count: idCount),
            Bytes(start: bytes + idCount, count: titleCount), data
        )
    }

    @inline(__always)
    private func length(_ offset: inout Int) -> Int {
        var value = 0
        var shift = 0
        while true {
            let byte = base.load(fromByteOffset: offset, as: UInt8.self)
            offset &+= 1
            value |= Int(byte & 0x7F) &<< shift
            if byte < 0x80 { return value }
            shift &+= 7
        }
    }
}

extension TextBlock {
    /// The size of a block with these parts, without padding.
    static func byteCount(id: Bytes, title: Bytes, data: Bytes?) -> Int {
        lengthsOffset + lengthBytes(id.count) + lengthBytes(title.count)
            + lengthBytes(data.map { $0.count + 1 } ?? 0) + id.count + title.count
            + (data?.count ?? 0)
    }

    static func write(
        flags: UInt8, stamps: Stamps, id: Bytes, title: Bytes, data: Bytes?,
        at base: UnsafeMutableRawPointer
    ) {
        setFlags(flags, at: base)
        setStamps(stamps, at: base)
        var end = base + lengthsOffset
        for length in [id.count, title.count, data.map { $0.count + 1 } ?? 0] {
            var rest = length
            while rest >= 0x80 {
                end.storeBytes(of: UInt8(rest & 0x7F) | 0x80, as: UInt8.self)
                end += 1
                rest >>= 7
            }
            end.storeBytes(of: UInt8(rest), as: UInt8.self)
            end += 1
        }
        for part in [id, title, data ?? Bytes(start: nil, count: 0)] {
            UnsafeMutableRawBufferPointer(start: end, count: part.count)
                .copyMemory(from: UnsafeRawBufferPointer(part))
            end += part.count
        }
    }

    static func setFlags(_ flags: UInt8, at base: UnsafeMutableRawPointer) {
        base.storeBytes(of: flags, toByteOffset: flagsOffset, as: UInt8.self)
    }

    static func setStamps(_ stamps: Stamps, at base: UnsafeMutableRawPointer) {
        setUpdated(at: stamps.updatedAt, by: stamps.updatedBy, in: base)
        base.storeBytes(
            of: stamps.createdAt ?? unknown, toByteOffset: createdOffset, as: Int64.self)
        base.storeBytes(
            of: stamps.completedAt ?? unknown, toByteOffset: completedOffset, as: Int64.self)
        base.storeBytes(of: stamps.createdBy, toByteOffset: createdByOffset, as: UInt32.self)
        base.storeBytes(of: stamps.completedBy, toByteOffset: completedByOffset, as: UInt32.self)
    }

    @inline(__always)
    static func setUpdated(
        at time: Int64?, by author: UInt32, in base: UnsafeMutableRawPointer
    ) {
        base.storeBytes(of: time ?? unknown, as: Int64.self)
        base.storeBytes(of: author, toByteOffset: updatedByOffset, as: UInt32.self)
    }

    static func markFree(_ base: UnsafeMutableRawPointer) {
        setFlags(freeBit, at: base)
    }

    private static func lengthBytes(_ length: Int) -> Int {
        max(1, (Int.bitWidth - length.leadingZeroBitCount + 6) / 7)
    }

    /// Whether two texts have the same bytes, compared eight at a time.
    @inline(__always)
    static func areEqual(_ one: Bytes, _ other: Bytes) -> Bool {
        guard one.count == other.count else { return false }
        let (left, right) = (UnsafeRawBufferPointer(one), UnsafeRawBufferPointer(other))
        // Uses the other text's length, which is available without a memory access.
        let count = right.count
        func differ(_ offset: Int) -> Bool {
            left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        guard count >= 8 else { return left.elementsEqual(right) }
        var offset = 0
        while offset &+ 8 < count {
            if differ(offset) { return false }
            offset &+= 8
        }
        // The last eight bytes, which may overlap those before.
        return !differ(count &- 8)
    }
}
