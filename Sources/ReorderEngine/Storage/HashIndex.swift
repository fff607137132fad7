/// A hash table in pages: finds nodes by 32-bit hashes of their ids. It stores both, so that it
/// needs no look at the ids when it grows, and hardly ever at a wrong one.
///
/// Extendible hashing: the top bits of a hash choose a page through a directory, the low bits a
/// slot in it, and neighbouring slots follow. A page that fills up splits into two by one bit
/// more, so growing never rehashes the whole, and a copied value shares all pages but those
/// that change. The first page doubles until it has its full size.
///
/// Hashes must come from a seeded function: the load of a page is only bounded against chance.
struct HashIndex: Sendable {
    /// An entry is the hash in the upper half and the node's index plus one in the lower; 0 is an
    /// empty slot. Slot 0 of each page is its header: its entries, then how many bits all its hashes
    /// share.
    private var slots = PagedArray<UInt64>()
    /// Slots a page has; kept here, so that looking up needs no look at the header.
    private var size = 16
    /// Page numbers by the top `depth` bits of a hash.
    private var directory: [UInt32] = [0]
    private var depth: UInt32 = 0

    /// Bytes of memory. O(1).
    var byteCount: Int { slots.byteCount + directory.count * MemoryLayout<UInt32>.stride }

    private static var pageSlots: Int { PagedArray<UInt64>.pageCapacity }

    init() {
        addPage(depth: 0)
    }

    /// The node with this hash for which `matches` holds. O(1) expected.
    @inline(__always)
    func find(_ hash: UInt32, matches: (UInt32) -> Bool) -> UInt32? {
        let page = slots.pointer(at: firstSlot(of: hash))
        var slot = home(hash)
        while page[slot] != 0 {
            if Self.hash(page[slot]) == hash {
                let node = Self.node(page[slot])
                if matches(node) { return node }
            }
            slot = next(slot)
        }
        return nil
    }

    /// Adds a node. O(1) amortized; a split costs a page.
    mutating func insert(_ node: UInt32, hash: UInt32) {
        makeRoom(for: hash)
        let page = slots.writablePointer(at: firstSlot(of: hash))
        page.pointee &+= 1
        place(Self.entry(node, hash), in: page)
    }

    /// Removes a node, which is there. O(1) expected.
    mutating func remove(_ node: UInt32, hash: UInt32) {
        let page = slots.writablePointer(at: firstSlot(of: hash))
        var hole = slot(of: Self.entry(node, hash), in: page)
        var slot = next(hole)
        // Entries move back over the hole as long as that is not before their own slot.
        while page[slot] != 0 {
            let home = home(Self.hash(page[slot]))
            let stays = hole < slot ? (hole < home && home <= slot) : (hole < home || home <= slot)
            if !stays {
                page[hole] = page[slot]
                hole = slot
            }
            slot = next(slot)
        }
        page[hole] = 0
        page.pointee &-= 1
    }

    @inline(__always)
    private func firstSlot(of hash: UInt32) -> Int {
        // A shift by 32 gives 0: one directory entry while there is one page.
        Int(directory[Int(hash >> (32 - depth))]) &* Self.pageSlots
    }

    @inline(__always)
    private static func entry(_ node: UInt32, _ hash: UInt32) -> UInt64 {
        UInt64(hash) &<< 32 | UInt64(node &+ 1)
    }
    @inline(__always)
    private static func hash(_ entry: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: entry &>> 32)
    }
    @inline(__always)
    private static func node(_ entry: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: entry) &- 1
    }

    private static func count(_ header: UInt64) -> Int { Int(header & 0xFFFF) }
    private static func depth(_ header: UInt64) -> UInt32 { UInt32(header >> 32) }

    /// Where a hash belongs in a page, from 1 on. The low 16 bits decide: the top
    /// ones are the same in all of a page.
    @inline(__always)
    private func home(_ hash: UInt32) -> Int {
        1 &+ (Int(hash & 0xFFFF) &* (size &- 1)) &>> 16
    }

    @inline(__always)
    private func next(_ slot: Int) -> Int { slot &+ 1 == size ? 1 : slot &+ 1 }

    private func place(_ entry: UInt64, in page: UnsafeMutablePointer<UInt64>) {
        var slot = home(Self.hash(entry))
        while page[slot] != 0 { slot = next(slot) }
        page[slot] = entry
    }

    private func slot(of entry: UInt64, in page: UnsafeMutablePointer<UInt64>) -> Int {
        var slot = home(Self.hash(entry))
        while page[slot] != entry {
            assert(page[slot] != 0, "the node is not in the index")
            slot = next(slot)
        }
        return slot
    }

    private mutating func addPage(depth: UInt32) {
        let first = slots.count
        slots.append(repeating: 0, count: size)
        slots[first] = UInt64(depth) << 32
    }

    /// Grows or splits the page of `hash` until it is less than 13/16 full.
    private mutating func makeRoom(for hash: UInt32) {
        while true {
            let first = firstSlot(of: hash)
            if Self.count(slots[first]) < size * 13 / 16 { return }
            if size < Self.pageSlots {
                let entries = entries(of: 0)
                slots.append(repeating: 0, count: size)
                size *= 2
                refill(0, with: entries, depth: 0)
            } else {
                split(first / Self.pageSlots)
            }
        }
    }

    private func entries(of page: Int) -> [UInt64] {
        let base = slots.pointer(at: page * Self.pageSlots)
        return (1..<size).map { base[$0] }.filter { $0 != 0 }
    }

    private mutating func split(_ page: Int) {
        let first = page * Self.pageSlots
        let shared = Self.depth(slots[first])
        precondition(shared < 24, "hashes are not spread")
        if shared == depth {
            directory = directory.flatMap { [$0, $0] }
            depth += 1
        }
        let new = slots.count / Self.pageSlots
        let bit = UInt64(1) << (63 - UInt64(shared))
        let entries = entries(of: page)
        addPage(depth: shared + 1)
        refill(page, with: entries.filter { $0 & bit == 0 }, depth: shared + 1)
        refill(new, with: entries.filter { $0 & bit != 0 }, depth: shared + 1)
        // Of the directory entries that named the page, those with the bit set name the new one.
        for index in directory.indices where directory[index] == UInt32(page) {
            if UInt64(index) << (64 - UInt64(depth)) & bit != 0 { directory[index] = UInt32(new) }
        }
    }

    private mutating func refill(_ number: Int, with entries: [UInt64], depth: UInt32) {
        let page = slots.writablePointer(at: number * Self.pageSlots)
        page.update(repeating: 0, count: size)
        page.pointee = UInt64(entries.count) | UInt64(depth) << 32
        for entry in entries { place(entry, in: page) }
    }

    /// Nil, or what is wrong: each entry must be where `find` looks for it.
    func checkInvariants(expecting expected: Int) -> String? {
        var total = 0
        for page in 0..<((slots.count + Self.pageSlots - 1) / Self.pageSlots) {
            let entries = entries(of: page)
            if entries.count != Self.count(slots[page * Self.pageSlots]) {
                return "index page \(page): count"
            }
            for entry in entries {
                let node = Self.node(entry)
                if find(Self.hash(entry), matches: { $0 == node }) == nil {
                    return "index page \(page): an entry can't be found"
                }
            }
            total += entries.count
        }
        return total == expected ? nil : "the index has \(total) entries, not \(expected)"
    }
}
