/// Numbered pages of raw memory with value semantics, copied on write page by page.
///
/// A version refers to its pages, or to directories of 128 pages if it has more than 128. Copying the
/// value copies one reference. The first write after a copy makes a new version: it duplicates the
/// addresses in the version, one page, and its directory if there is one. So a reader keeps a consistent
/// copy at the cost of the pages that are written meanwhile.
///
/// Pages and directories have no reference counts, because a copy of a directory would change as many
/// of them as it has pages. `VersionTree` decides when one is freed. Pointers from `base(of:)` are valid
/// until the next write, those from `writableBase(of:)` until a page is added or resized.
///
/// `@unchecked Sendable`: only the single value of a version without successors writes, and only to
/// blocks that no other version has.
struct PagedMemory: @unchecked Sendable {
    /// The size of a regular page: small enough to copy in well under a microsecond, large enough
    /// for a million tasks to need only thousands of pages.
    static let pageBytes = 4_096
    private static let directoryShift = 7
    private static let directoryPages = 1 << directoryShift
    private static let directoryBytes = directoryPages * MemoryLayout<MemoryBlock?>.stride

    private typealias Slot = UnsafeMutablePointer<MemoryBlock?>

    private(set) var version: PageVersion
    /// Only this version has the blocks that were born later. It can be greater than necessary, because
    /// other versions disappear at any time; then one block is copied in vain.
    private var lastSharedBirth = -1
    /// The number of pages, including vacated ones; their numbers are `0..<pageCount`.
    private(set) var pageCount = 0
    /// The size of all pages, including those shared with copies.
    private(set) var byteCount = 0

    init() {
        version = PageVersion.make(count: 1, after: nil)
    }

    /// The start of page `page`, for reading. O(1).
    @inline(__always)
    func base(of page: Int) -> UnsafeRawPointer {
        UnsafeRawPointer(slot(page).pointee.unsafelyUnwrapped.base)
    }

    /// The start of page `page`, for writing; copies shared memory first. O(1).
    @inline(__always)
    mutating func writableBase(of page: Int) -> UnsafeMutableRawPointer {
        if isKnownUniquelyReferenced(&version), !version.hasSuccessors {
            let block = slot(page).pointee.unsafelyUnwrapped
            if block.birth > lastSharedBirth { return block.base }
        }
        return unshare(page)
    }

    /// The size of page `page`; 0 if it was vacated. O(1).
    func byteCount(of page: Int) -> Int { slot(page).pointee?.byteCount ?? 0 }

    /// Adds an uninitialized page and returns its number. O(1) amortized.
    mutating func addPage(byteCount: Int) -> Int {
        let page = pageCount
        if page == Self.directoryPages { addDirectory() }
        pageCount += 1
        resize(page, to: byteCount)
        return page
    }

    /// Changes the size of page `page`; keeps the bytes that fit. O(size).
    mutating func resize(_ page: Int, to byteCount: Int) {
        let slot = exclusiveSlot(page)
        self.byteCount += byteCount - (slot.pointee?.byteCount ?? 0)
        makeOwn(slot, byteCount: byteCount)
    }

    /// Frees the memory of page `page`. Its number remains, for `resize`. O(1).
    mutating func vacate(_ page: Int) {
        let slot = exclusiveSlot(page)
        guard let block = slot.pointee else { return }
        byteCount -= block.byteCount
        slot.pointee = nil
        lastSharedBirth = version.discard(block)
    }

    private var hasDirectories: Bool { pageCount > Self.directoryPages }

    @inline(__always)
    private func slot(_ page: Int) -> Slot {
        guard hasDirectories else { return version.slots + page }
        let directory = version.slots[page >> Self.directoryShift].unsafelyUnwrapped
        return directory.base.assumingMemoryBound(to: MemoryBlock?.self)
            + (page & (Self.directoryPages - 1))
    }

    @inline(never)
    private mutating func unshare(_ page: Int) -> UnsafeMutableRawPointer {
        let slot = exclusiveSlot(page)
        return makeOwn(slot, byteCount: slot.pointee.unsafelyUnwrapped.byteCount).base
    }

    /// The slot of page `page` in a version and a directory that are not shared.
    private mutating func exclusiveSlot(_ page: Int) -> Slot {
        let index = hasDirectories ? page >> Self.directoryShift : page
        makeVersionExclusive(slotCount: index + 1)
        if hasDirectories {
            let isNew = version.slots[index] == nil
            let directory = makeOwn(version.slots + index, byteCount: Self.directoryBytes)
            if isNew { directory.slots.initialize(repeating: nil) }
        }
        return slot(page)
    }

    /// Replaces the version if it is shared or too small. The slots grow by doubling, so that a list of
    /// ten tasks needs one.
    private mutating func makeVersionExclusive(slotCount: Int) {
        let isShared = !isKnownUniquelyReferenced(&version) || version.hasSuccessors
        if isShared { lastSharedBirth = version.number }
        let count = version.count
        guard isShared || slotCount > count else { return }
        version = PageVersion.make(count: slotCount > count ? 2 * count : count, after: version)
    }

    /// Moves the pages to the first directory.
    private mutating func addDirectory() {
        makeVersionExclusive(slotCount: Self.directoryPages)
        let directory = version.allocate(byteCount: Self.directoryBytes)
        directory.base.copyMemory(from: version.slots, byteCount: Self.directoryBytes)
        version.slots.update(repeating: nil, count: Self.directoryPages)
        version.slots[0] = directory
        version.hasDirectories = true
    }

    /// Puts a block of this size that only this version has into a slot of a version and a directory
    /// that are not shared. It has the bytes of the block before that fit.
    @discardableResult
    private mutating func makeOwn(_ slot: Slot, byteCount: Int) -> MemoryBlock {
        let old = slot.pointee
        if let old, old.birth > lastSharedBirth, old.byteCount == byteCount { return old }
        let new = version.allocate(byteCount: byteCount)
        slot.pointee = new
        if let old {
            new.base.copyMemory(from: old.base, byteCount: min(byteCount, old.byteCount))
            lastSharedBirth = version.discard(old)
        }
        return new
    }
}

extension Int {
    /// The smallest power of two greater than this number.
    var nextPowerOfTwo: Int { 1 << (Int.bitWidth - leadingZeroBitCount) }
}
