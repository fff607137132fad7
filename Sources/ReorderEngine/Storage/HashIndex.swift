/// A hash table in pages that finds nodes by the hashes of their ids. It stores the hashes, so it
/// reads no ids when it grows, and few ids when it searches.
///
/// It uses extendible hashing: the top bits of a hash select a page through a directory. The low
/// bits select a slot in the page, where linear probing starts. A full page splits into two by one
/// more bit, so growing never rehashes the whole table, and a copied value shares all pages except
/// those that change. The first page doubles until it has its full size.
///
/// Hashes must come from a seeded function: the load of a page is bounded only for random hashes.
struct HashIndex: Sendable {
    private struct Entry: BitwiseCopyable {
        var hash: UInt32
        var node: UInt32

        var isEmpty: Bool { node == absent }

        static var empty: Entry { Entry(hash: 0, node: absent) }
    }

    private var memory = PagedMemory()
    /// The number of slots in a page; stored here, so that a lookup does not read it from the page.
    private var size = 8
    /// Page numbers by the top `depth` bits of a hash.
    private var directory: [UInt32] = [0]
    private var depth: UInt32 = 0

    /// Bytes of memory. O(1).
    var byteCount: Int { memory.byteCount + directory.count * MemoryLayout<UInt32>.stride }

    init() {
        addPage(depth: 0)
    }

    /// The node with this hash for which `matches` returns true. O(1) expected.
    @inline(__always)
    func find(_ hash: UInt32, matches: (UInt32) -> Bool) -> UInt32? {
        let page = reading(pageNumber(of: hash))
        var slot = home(hash)
        while true {
            let entry = page.entries[slot]
            if entry.isEmpty { return nil }
            if entry.hash == hash, matches(entry.node) { return entry.node }
            slot = next(slot)
        }
    }

    /// Adds a node. O(1) amortized; a split costs a page.
    mutating func insert(_ node: UInt32, hash: UInt32) {
        makeRoom(for: hash)
        let page = writing(pageNumber(of: hash))
        page.count += 1
        place(Entry(hash: hash, node: node), in: page)
    }

    /// Removes a node, which must be present. O(1) expected.
    mutating func remove(_ node: UInt32, hash: UInt32) {
        let page = writing(pageNumber(of: hash))
        var hole = slot(of: node, hash, in: page)
        var slot = next(hole)
        // Following entries fill the hole, except those whose home slot is after it.
        while !page.entries[slot].isEmpty {
            let home = home(page.entries[slot].hash)
            let stays = hole < slot ? (hole < home && home <= slot) : (hole < home || home <= slot)
            if !stays {
                page.entries[hole] = page.entries[slot]
                hole = slot
            }
            slot = next(slot)
        }
        page.entries[hole] = .empty
        page.count -= 1
    }

    @inline(__always)
    private func pageNumber(of hash: UInt32) -> Int {
        // A shift by 32 gives 0: the directory has one entry while there is one page.
        Int(directory[Int(hash >> (32 - depth))])
    }

    /// The home slot of a hash. It depends on the low 16 bits, because the top bits are equal
    /// within a page.
    @inline(__always)
    private func home(_ hash: UInt32) -> Int { (Int(hash & 0xFFFF) &* size) &>> 16 }

    @inline(__always)
    private func next(_ slot: Int) -> Int { slot &+ 1 == size ? 0 : slot &+ 1 }

    private func place(_ entry: Entry, in page: IndexPage) {
        var slot = home(entry.hash)
        while !page.entries[slot].isEmpty { slot = next(slot) }
        page.entries[slot] = entry
    }

    @inline(__always)
    private func slot(of node: UInt32, _ hash: UInt32, in page: IndexPage) -> Int {
        var slot = home(hash)
        while page.entries[slot].node != node {
            assert(!page.entries[slot].isEmpty, "the node is not in the index")
            slot = next(slot)
        }
        return slot
    }
}

extension HashIndex {
    /// A page: the entries, then their number and the number of bits that all their hashes share.
    private struct IndexPage {
        private let base: UnsafeMutableRawPointer
        private let size: Int

        @inline(__always)
        init(_ base: UnsafeMutableRawPointer, size: Int) {
            self.base = base
            self.size = size
        }

        private static var slotBytes: Int { MemoryLayout<Entry>.stride }

        /// The maximum number of slots in a page.
        static var largestSize: Int { (PagedMemory.pageBytes - 8) / slotBytes }

        static func byteCount(size: Int) -> Int {
            size == largestSize ? PagedMemory.pageBytes : slotBytes * size + 8
        }

        @inline(__always)
        var entries: UnsafeMutablePointer<Entry> { base.assumingMemoryBound(to: Entry.self) }
        private var end: UnsafeMutablePointer<UInt32> {
            (base + Self.slotBytes &* size).assumingMemoryBound(to: UInt32.self)
        }
        var count: Int {
            get { Int(end[0]) }
            nonmutating set { end[0] = UInt32(newValue) }
        }
        var depth: UInt32 {
            get { end[1] }
            nonmutating set { end[1] = newValue }
        }

        func clear(depth: UInt32) {
            entries.update(repeating: .empty, count: size)
            count = 0
            self.depth = depth
        }

        var all: [Entry] {
            UnsafeBufferPointer(start: entries, count: size).filter { !$0.isEmpty }
        }
    }

    @inline(__always)
    private func reading(_ page: Int) -> IndexPage {
        IndexPage(UnsafeMutableRawPointer(mutating: memory.base(of: page)), size: size)
    }

    @inline(__always)
    private mutating func writing(_ page: Int) -> IndexPage {
        IndexPage(memory.writableBase(of: page), size: size)
    }

    private mutating func addPage(depth: UInt32) {
        let page = memory.addPage(byteCount: IndexPage.byteCount(size: size))
        writing(page).clear(depth: depth)
    }

    /// Grows or splits the page of `hash` until it is less than 13/16 full.
    private mutating func makeRoom(for hash: UInt32) {
        while true {
            let number = pageNumber(of: hash)
            let page = reading(number)
            if page.count < size * 13 / 16 { return }
            if size == IndexPage.largestSize {
                split(number)
            } else {
                let entries = page.all
                size = min(size * 2, IndexPage.largestSize)
                memory.resize(0, to: IndexPage.byteCount(size: size))
                writing(0).clear(depth: 0)
                place(entries)
            }
        }
    }

    private mutating func split(_ page: Int) {
        let shared = reading(page).depth
        precondition(shared < 24, "hashes are not spread")
        if shared == depth {
            directory = directory.flatMap { [$0, $0] }
            depth += 1
        }
        let new = memory.pageCount
        let bit = UInt32(1) << (31 - shared)
        let entries = reading(page).all
        addPage(depth: shared + 1)
        writing(page).clear(depth: shared + 1)
        // The directory entries of the old page with this bit set refer to the new one.
        for index in directory.indices where directory[index] == UInt32(page) {
            if UInt32(index) << (32 - depth) & bit != 0 { directory[index] = UInt32(new) }
        }
        place(entries)
    }

    /// Inserts entries into the pages to which the directory assigns them.
    private mutating func place(_ entries: [Entry]) {
        for entry in entries {
            let page = writing(pageNumber(of: entry.hash))
            page.count += 1
            place(entry, in: page)
        }
    }

    /// The first violated invariant, or nil: `find` must find each entry.
    func checkInvariants(expecting expected: Int) -> String? {
        var total = 0
        for number in 0..<memory.pageCount {
            let page = reading(number)
            let entries = page.all
            if entries.count != page.count { return "index page \(number): count" }
            for entry in entries {
                if find(entry.hash, matches: { $0 == entry.node }) == nil {
                    return "index page \(number): an entry can't be found"
                }
            }
            total += entries.count
        }
        return total == expected ? nil : "the index has \(total) entries, not \(expected)"
    }
}
