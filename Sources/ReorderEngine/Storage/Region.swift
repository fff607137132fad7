import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A stretch of 2 MiB that pages of large stores are taken from.
///
/// Of a list of a million tasks nearly every operation reaches memory that is in no cache, and then
/// the processor looks up as well where that memory is. A region can be one large page of the
/// system, and looking those up takes hardly any time.
///
/// It lives as long as one of its pages does or a store takes pages from it. Copies of a store
/// share it, on any threads: which pages are taken is one atomic number, so nobody waits.
///
/// Sendable although it points to mutable memory: a page belongs to whoever took it.
final class Region: @unchecked Sendable {
    private static let byteCount = 2 << 20

    private let base: UnsafeMutableRawPointer
    /// A bit for each page: whether it is taken.
    private let taken = Atomic<UInt128>(0)

    init() {
        assert(Self.byteCount / PagedMemory.pageBytes == UInt128.bitWidth)
        base = .allocate(byteCount: Self.byteCount, alignment: Self.byteCount)
        #if os(Linux)
            // Advice: without it all works the same, only slower.
            madvise(base, Self.byteCount, MADV_HUGEPAGE)
        #endif
    }

    deinit { base.deallocate() }

    /// Whether half of the pages or more are free; others may take and give back meanwhile. O(1).
    var isHalfFree: Bool {
        taken.load(ordering: .relaxed).nonzeroBitCount <= UInt128.bitWidth / 2
    }

    /// The uninitialized memory of a page, of `PagedMemory.pageBytes`; nil where all are taken.
    /// O(1).
    func take() -> UnsafeMutableRawPointer? {
        var before = taken.load(ordering: .relaxed)
        while before != .max {
            let page = (~before).trailingZeroBitCount
            let (exchanged, original) = taken.compareExchange(
                expected: before, desired: before | 1 << page, ordering: .acquiring)
            if exchanged { return base + page * PagedMemory.pageBytes }
            before = original
        }
        return nil
    }

    /// Gives back the memory of a page. O(1).
    func giveBack(_ memory: UnsafeMutableRawPointer) {
        let page = (memory - base) / PagedMemory.pageBytes
        taken.bitwiseAnd(~(1 << page), ordering: .releasing)
    }
}
