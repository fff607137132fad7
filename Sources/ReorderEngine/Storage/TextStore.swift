/// The texts of tasks, packed in pages, instead of one heap string for each.
///
/// A text block contains times and flags, and the id, title and data with their lengths. New and changed
/// texts go to the current page. Removed blocks leave holes; when holes exceed the texts of a page,
/// `TaskTable` moves the texts to other pages and the page is freed. So at most about half of the
/// memory is holes, and O(1) bytes are copied for each byte freed.
///
/// A handle consists of the page's number and the offset in units of eight bytes; it is never 0.
struct TextStore: Sendable {
    private var memory = PagedMemory()

    /// Bytes of memory. O(1).
    var byteCount: Int { memory.byteCount }

    /// The page for new texts.
    private var current = 0
    private var vacated: [Int] = []
    /// Pages with more holes than texts, which are emptied before the operation ends.
    private var sparse: [Int] = []

    private static var unitBytes: Int { 8 }
    private static var unitShift: Int { 9 }
    /// A page's header has the number of bytes in use, the number of bytes allocated so far, and
    /// the offset of the next block.
    private static var pageHeaderBytes: Int { 16 }

    init() {
        _ = memory.addPage(byteCount: 256)
        resetHeader(of: 0)
    }

    /// The block of `handle`, for reading: valid until the next write.
    @inline(__always)
    func block(_ handle: UInt32) -> TextBlock {
        TextBlock(memory.base(of: Self.page(of: handle)) + Self.offset(of: handle))
    }

    /// A block, for writing its flags and stamps: valid until the next write.
    @inline(__always)
    mutating func writableBlock(_ handle: UInt32) -> UnsafeMutableRawPointer {
        memory.writableBase(of: Self.page(of: handle)) + Self.offset(of: handle)
    }

    /// Allocates a block of `byteCount` bytes, which must be written immediately. O(1) amortized.
    mutating func allocate(byteCount: Int) -> (handle: UInt32, base: UnsafeMutableRawPointer) {
        let size = (byteCount + Self.unitBytes - 1) & ~(Self.unitBytes - 1)
        let page = pageWithRoom(for: size)
        let base = memory.writableBase(of: page)
        let offset = Int(Self.end(base))
        Self.writeHeader(
            live: Self.live(base) + UInt32(size), allocated: Self.allocated(base) + UInt32(size),
            end: UInt32(offset + size), at: base)
        let handle = UInt32(page << Self.unitShift | offset / Self.unitBytes)
        return (handle, base + offset)
    }

    /// Frees a block. O(1).
    mutating func free(_ handle: UInt32) {
        let page = Self.page(of: handle)
        let base = memory.writableBase(of: page)
        let block = base + Self.offset(of: handle)
        TextBlock.markFree(block)
        let live = Self.live(base) - UInt32(TextBlock(block).byteCount)
        base.storeBytes(of: live, as: UInt32.self)
        if page != current {
            recordIfSparse(page)
        } else if live == 0 {
            resetHeader(of: page)
        }
    }

    /// A page whose blocks must be moved before `vacate` is called.
    mutating func takeSparsePage() -> Int? { sparse.popLast() }

    private mutating func recordIfSparse(_ page: Int) {
        let base = memory.base(of: page)
        // Allocating space for a text may have recorded its old page already.
        guard !sparse.contains(page) else { return }
        if Self.live(base) < Self.allocated(base) / 2 { sparse.append(page) }
    }

    /// The handles of a page's blocks in use. O(page).
    func blocks(of page: Int) -> [UInt32] {
        let base = memory.base(of: page)
        let end = Int(Self.end(base))
        var offset = Self.pageHeaderBytes
        var found: [UInt32] = []
        while offset < end {
            let block = TextBlock(base + offset)
            if !block.isFree {
                found.append(UInt32(page << Self.unitShift | offset / Self.unitBytes))
            }
            offset += block.byteCount
        }
        return found
    }

    /// Frees the memory of a page whose blocks are not referenced. O(1).
    mutating func vacate(_ page: Int) {
        memory.vacate(page)
        vacated.append(page)
    }

    private mutating func pageWithRoom(for size: Int) -> Int {
        let wanted = Int(Self.end(memory.base(of: current))) + size
        if wanted <= memory.byteCount(of: current) { return current }
        if wanted <= PagedMemory.pageBytes {
            // The first page is smaller at first, and grows to its full size.
            memory.resize(current, to: min(PagedMemory.pageBytes, wanted.nextPowerOfTwo))
            return current
        }
        let needed = Self.pageHeaderBytes + size
        let isLarge = needed > PagedMemory.pageBytes / 2
        let page = freshPage(byteCount: isLarge ? needed : PagedMemory.pageBytes)
        // A large text gets a page of its own; the current page stays the same.
        if !isLarge {
            recordIfSparse(current)
            current = page
        }
        return page
    }

    private mutating func freshPage(byteCount: Int) -> Int {
        let page: Int
        if let reused = vacated.popLast() {
            page = reused
            memory.resize(page, to: byteCount)
        } else {
            page = memory.addPage(byteCount: byteCount)
        }
        resetHeader(of: page)
        return page
    }

    private mutating func resetHeader(of page: Int) {
        Self.writeHeader(
            live: 0, allocated: 0, end: UInt32(Self.pageHeaderBytes),
            at: memory.writableBase(of: page))
    }

    private static func writeHeader(
        live: UInt32, allocated: UInt32, end: UInt32, at base: UnsafeMutableRawPointer
    ) {
        base.storeBytes(of: live, as: UInt32.self)
        base.storeBytes(of: allocated, toByteOffset: 4, as: UInt32.self)
        base.storeBytes(of: end, toByteOffset: 8, as: UInt32.self)
    }

    @inline(__always)
    private static func page(of handle: UInt32) -> Int { Int(handle) &>> unitShift }
    @inline(__always)
    private static func offset(of handle: UInt32) -> Int {
        (Int(handle) & (1 &<< unitShift - 1)) &* unitBytes
    }
    private static func live(_ base: UnsafeRawPointer) -> UInt32 { base.load(as: UInt32.self) }
    private static func allocated(_ base: UnsafeRawPointer) -> UInt32 {
        base.load(fromByteOffset: 4, as: UInt32.self)
    }
    private static func end(_ base: UnsafeRawPointer) -> UInt32 {
        base.load(fromByteOffset: 8, as: UInt32.self)
    }

    /// The first violated invariant, or nil: the bytes in use of each page.
    func checkInvariants() -> String? {
        if !sparse.isEmpty { return "text pages \(sparse) were not compacted" }
        for page in 0..<memory.pageCount where memory.byteCount(of: page) > 0 {
            let base = memory.base(of: page)
            let live = blocks(of: page).reduce(0) { $0 + block($1).byteCount }
            if live != Int(base.load(as: UInt32.self)) { return "text page \(page): bytes in use" }
            if page != current, live < Int(Self.allocated(base)) / 2 {
                return "text page \(page) is mostly holes"
            }
        }
        return nil
    }
}
