/// The texts of tasks, packed one after the other in pages, instead of a heap string each.
///
/// A text block holds flags, and id, title and data with their lengths. New and changed texts go to
/// the page that is being filled. Removed blocks leave holes; when a page has more holes than texts,
/// `TaskTable` moves the rest of it on and the page is given back. So at most about half of the
/// memory is holes, at O(1) bytes copied for each byte freed.
///
/// A handle is the page's number and the offset in units of eight bytes; it is never 0.
struct TextStore: Sendable {
    private var memory = PagedMemory()

    /// Bytes of memory. O(1).
    var byteCount: Int { memory.byteCount }

    /// The page that is being filled.
    private var current = 0
    private var vacated: [Int] = []
    /// Pages that are more holes than texts: to be moved on before the operation ends.
    private var sparse: [Int] = []

    private static var unitBytes: Int { 8 }
    private static var unitShift: Int { 11 }
    /// A page begins with its bytes in use, its bytes handed out, and where the next ones are.
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

    /// The flags of a block, for writing.
    mutating func setFlags(_ flags: UInt8, of handle: UInt32) {
        let base = memory.writableBase(of: Self.page(of: handle))
        TextBlock.setFlags(flags, at: base + Self.offset(of: handle))
    }

    /// Room for a block of `byteCount` bytes, to be written at once. O(1) amortized.
    mutating func allocate(byteCount: Int) -> (handle: UInt32, base: UnsafeMutableRawPointer) {
        let size = (byteCount + Self.unitBytes - 1) & ~(Self.unitBytes - 1)
        let page = pageWithRoom(for: size)
        let base = memory.writableBase(of: page)
        let offset = Int(Self.end(base))
        Self.writeHeader(
            live: Self.live(base) + UInt32(size), handedOut: Self.handedOut(base) + UInt32(size),
            end: UInt32(offset + size), at: base)
        let handle = UInt32(page << Self.unitShift | offset / Self.unitBytes)
        return (handle, base + offset)
    }

    /// Gives a block's bytes back. O(1).
    mutating func free(_ handle: UInt32) {
        let page = Self.page(of: handle)
        let base = memory.writableBase(of: page)
        let block = base + Self.offset(of: handle)
        TextBlock.markFree(block)
        let live = Self.live(base) - UInt32(TextBlock(block).byteCount)
        base.storeBytes(of: live, as: UInt32.self)
        if page != current {
            noteIfSparse(page)
        } else if live == 0 {
            resetHeader(of: page)
        }
    }

    /// A page whose blocks should move to other pages before `vacate` is called.
    mutating func takeSparsePage() -> Int? { sparse.popLast() }

    private mutating func noteIfSparse(_ page: Int) {
        let base = memory.base(of: page)
        // Making room for a text may have noted the page already that its old version is in.
        guard !sparse.contains(page) else { return }
        if Self.live(base) < Self.handedOut(base) / 2 { sparse.append(page) }
    }

    /// Handles of the blocks of a page that are in use. O(page).
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

    /// Gives the memory of a page back; nothing refers to its blocks any more. O(1).
    mutating func vacate(_ page: Int) {
        memory.vacate(page)
        vacated.append(page)
    }

    private mutating func pageWithRoom(for size: Int) -> Int {
        let wanted = Int(Self.end(memory.base(of: current))) + size
        if wanted <= memory.byteCount(of: current) { return current }
        if wanted <= PagedMemory.pageBytes {
            // Only while the page grows to its full size.
            memory.resize(current, to: min(PagedMemory.pageBytes, wanted.nextPowerOfTwo))
            return current
        }
        let needed = Self.pageHeaderBytes + size
        let isLarge = needed > PagedMemory.pageBytes / 2
        let page = freshPage(byteCount: isLarge ? needed : PagedMemory.pageBytes)
        // A large text has a page of its own; filling goes on where it was.
        if !isLarge {
            noteIfSparse(current)
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
            live: 0, handedOut: 0, end: UInt32(Self.pageHeaderBytes),
            at: memory.writableBase(of: page))
    }

    private static func writeHeader(
        live: UInt32, handedOut: UInt32, end: UInt32, at base: UnsafeMutableRawPointer
    ) {
        base.storeBytes(of: live, as: UInt32.self)
        base.storeBytes(of: handedOut, toByteOffset: 4, as: UInt32.self)
        base.storeBytes(of: end, toByteOffset: 8, as: UInt32.self)
    }

    @inline(__always)
    private static func page(of handle: UInt32) -> Int { Int(handle) &>> unitShift }
    @inline(__always)
    private static func offset(of handle: UInt32) -> Int {
        (Int(handle) & (1 &<< unitShift - 1)) &* unitBytes
    }
    private static func live(_ base: UnsafeRawPointer) -> UInt32 { base.load(as: UInt32.self) }
    private static func handedOut(_ base: UnsafeRawPointer) -> UInt32 {
        base.load(fromByteOffset: 4, as: UInt32.self)
    }
    private static func end(_ base: UnsafeRawPointer) -> UInt32 {
        base.load(fromByteOffset: 8, as: UInt32.self)
    }

    /// Nil, or what is wrong: bytes in use of each page.
    func checkInvariants() -> String? {
        if !sparse.isEmpty { return "text pages \(sparse) were not moved on" }
        for page in 0..<memory.pageCount where memory.byteCount(of: page) > 0 {
            let base = memory.base(of: page)
            let live = blocks(of: page).reduce(0) { $0 + block($1).byteCount }
            if live != Int(base.load(as: UInt32.self)) { return "text page \(page): bytes in use" }
            if page != current, live < Int(Self.handedOut(base)) / 2 {
                return "text page \(page) is mostly holes"
            }
        }
        return nil
    }
}
