/// Numbered pages of raw memory with value semantics, copied on write page by page.
///
/// A table refers to directories, which refer to pages. Copying the value copies one reference. The
/// first write after a copy duplicates the table, one directory and one page, so a reader keeps a
/// consistent copy at the cost of the pages that are written meanwhile.
///
/// Reading a page does not touch a reference count: the raw base address is stored beside each
/// reference. Pointers from `base(of:)` are valid until the next write, those from
/// `writableBase(of:)` until a page is added or resized.
///
/// `@unchecked Sendable`: only a buffer or a page with one owner is written, so a shared one never
/// changes.
struct PagedMemory: @unchecked Sendable {
    /// The size of a regular page: small enough to copy in well under a microsecond, large enough
    /// for a million tasks to need only thousands of pages.
    static let pageBytes = 4_096
    private static let directoryShift = 7
    private static let directoryPages = 1 << directoryShift

    private struct PageSlot {
        var page: Page?
        var base: UnsafeMutableRawPointer?
    }

    private struct DirectorySlot {
        var directory: SharedBuffer<PageSlot>?
        var slots: UnsafeMutablePointer<PageSlot>?
    }

    private var table: SharedBuffer<DirectorySlot>
    /// The number of pages, including vacated ones; their numbers are `0..<pageCount`.
    private(set) var pageCount = 0
    /// The size of all pages, including those shared with copies.
    private(set) var byteCount = 0

    init() {
        table = SharedBuffer.make(capacity: 1, filler: DirectorySlot())
    }

    /// The start of page `page`, for reading. O(1).
    @inline(__always)
    func base(of page: Int) -> UnsafeRawPointer {
        UnsafeRawPointer(slot(page).pointee.base.unsafelyUnwrapped)
    }

    /// The start of page `page`, for writing; copies shared memory first. O(1).
    @inline(__always)
    mutating func writableBase(of page: Int) -> UnsafeMutableRawPointer {
        let entry = table.elements + page >> Self.directoryShift
        if isKnownUniquelyReferenced(&table), isKnownUniquelyReferenced(&entry.pointee.directory) {
            let slot = entry.pointee.slots.unsafelyUnwrapped + (page & (Self.directoryPages - 1))
            if isKnownUniquelyReferenced(&slot.pointee.page) {
                return slot.pointee.base.unsafelyUnwrapped
            }
        }
        return unshare(page)
    }

    /// The size of page `page`; 0 if it was vacated. O(1).
    func byteCount(of page: Int) -> Int {
        slot(page).pointee.page?.byteCount ?? 0
    }

    /// Adds an uninitialized page and returns its number. O(1) amortized.
    mutating func addPage(byteCount: Int) -> Int {
        let page = pageCount
        pageCount += 1
        resize(page, to: byteCount)
        return page
    }

    /// Changes the size of page `page`; keeps the bytes that fit. O(size).
    mutating func resize(_ page: Int, to byteCount: Int) {
        let slot = exclusiveSlot(page)
        let new = Page.make(byteCount: byteCount, copying: slot.pointee.page)
        self.byteCount += byteCount - (slot.pointee.page?.byteCount ?? 0)
        slot.pointee = PageSlot(page: new, base: new.base)
    }

    /// Frees the memory of page `page`. Its number remains, for `resize`. O(1).
    mutating func vacate(_ page: Int) {
        byteCount -= self.byteCount(of: page)
        exclusiveSlot(page).pointee = PageSlot()
    }

    @inline(__always)
    private func slot(_ page: Int) -> UnsafeMutablePointer<PageSlot> {
        let entry = table.elements + page >> Self.directoryShift
        return entry.pointee.slots.unsafelyUnwrapped + (page & (Self.directoryPages - 1))
    }

    @inline(never)
    private mutating func unshare(_ page: Int) -> UnsafeMutableRawPointer {
        let slot = exclusiveSlot(page)
        if !isKnownUniquelyReferenced(&slot.pointee.page), let shared = slot.pointee.page {
            let copy = Page.make(byteCount: shared.byteCount, copying: shared)
            slot.pointee = PageSlot(page: copy, base: copy.base)
        }
        return slot.pointee.base.unsafelyUnwrapped
    }

    /// The slot of page `page` in a table and a directory that are not shared. Both grow by
    /// doubling, so that a list of ten tasks needs one slot instead of sixty-four.
    private mutating func exclusiveSlot(_ page: Int) -> UnsafeMutablePointer<PageSlot> {
        let number = page >> Self.directoryShift
        if number >= table.count {
            table = SharedBuffer.make(
                capacity: table.count * 2, copying: table, filler: DirectorySlot())
        } else if !isKnownUniquelyReferenced(&table) {
            table = SharedBuffer.make(
                capacity: table.count, copying: table, filler: DirectorySlot())
        }
        let entry = table.elements + number
        let index = page & (Self.directoryPages - 1)
        let capacity = entry.pointee.directory?.count ?? 0
        if index >= capacity || !isKnownUniquelyReferenced(&entry.pointee.directory) {
            let needed = index < capacity ? capacity : max(1, index.nextPowerOfTwo)
            let directory = SharedBuffer.make(
                capacity: needed, copying: entry.pointee.directory, filler: PageSlot())
            entry.pointee = DirectorySlot(directory: directory, slots: directory.elements)
        }
        return entry.pointee.slots.unsafelyUnwrapped + index
    }
}

extension Int {
    /// The smallest power of two greater than this number.
    var nextPowerOfTwo: Int { 1 << (Int.bitWidth - leadingZeroBitCount) }
}
