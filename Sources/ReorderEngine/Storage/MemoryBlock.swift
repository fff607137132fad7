/// A piece of raw memory that begins on a cache line: a page of a `PagedMemory`, or a directory of pages.
///
/// It is only an address. A header before it contains its size and its birth: the number of the version
/// that made it.
///
/// `@unchecked Sendable`: an address can be passed to any thread; `PagedMemory` decides who writes.
struct MemoryBlock: @unchecked Sendable {
    let base: UnsafeMutableRawPointer

    private struct Header {
        let birth: Int
        let byteCount: UInt32
        /// The distance from the start of the allocation to `base`.
        let offset: UInt32
    }
    /// The bytes before `base` that hold the header, and the alignment of both. Not the header's size, which is 12 bytes
    /// on processors with 32 bits.
    private static let headerBytes = 16

    @inline(__always)
    private var header: UnsafeMutablePointer<Header> {
        (base - Self.headerBytes).assumingMemoryBound(to: Header.self)
    }
    @inline(__always)
    var birth: Int { header.pointee.birth }
    var byteCount: Int { Int(header.pointee.byteCount) }

    /// The pages of a directory.
    var slots: UnsafeMutableBufferPointer<MemoryBlock?> {
        UnsafeMutableBufferPointer(
            start: base.assumingMemoryBound(to: MemoryBlock?.self),
            count: byteCount / MemoryLayout<MemoryBlock?>.stride)
    }

    /// Allocates a block. Its bytes are uninitialized.
    static func allocate(byteCount: Int, birth: Int) -> MemoryBlock {
        let start = UnsafeMutableRawPointer.allocate(
            byteCount: byteCount + cacheLine, alignment: Self.headerBytes)
        let base = (start + Self.headerBytes).alignedUp(toMultipleOf: cacheLine)
        let block = MemoryBlock(base: base)
        block.header.initialize(
            to: Header(
                birth: birth, byteCount: UInt32(byteCount), offset: UInt32(base - start)))
        return block
    }

    func deallocate() { (base - Int(header.pointee.offset)).deallocate() }
}

/// The size of a cache line of the supported processors, in bytes.
let cacheLine = 64
