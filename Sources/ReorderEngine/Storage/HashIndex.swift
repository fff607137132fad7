/// A hash table in pages: finds nodes by 32-bit hashes of their ids. It stores both, so that it
/// needs no look at the ids when it grows, and hardly ever at a wrong one.
///
/// Beside the node an entry tells where its text is and which leaf lists it. At a million tasks
/// each of these is a wait for memory; so told at once, they are waited for together.
///
/// Extendible hashing: the top bits of a hash choose a page through a directory, the low bits a
/// cache line in it, whose slots and then the lines that follow are tried in turn. A page that fills up splits into two by one bit
/// more, so growing never rehashes the whole, and a copied value shares all pages but those
/// that change. The first page doubles until it has its full size.
///
/// Hashes must come from a seeded function: the load of a page is only bounded against chance.
struct HashIndex: Sendable {
    /// What is known of a task without looking further; four of them fill a cache line.
    struct Entry: BitwiseCopyable {
        let hash: UInt32
        let node: UInt32
        /// The handle of the task's text.
        var text: UInt32
        /// The leaf of the forest that lists the node.
        var leaf: UInt32

        var isEmpty: Bool { node == absent }

        static var empty: Entry { Entry(hash: 0, node: absent, text: 0, leaf: 0) }
    }

    /// Slot 0 of each page is its header: how many entries it has in place of a text, and how many
    /// bits all their hashes share in place of a leaf.
    private var slots = PagedArray<Entry>()
    /// Slots a page has; kept here, so that looking up needs no look at the header.
    private var size = 8
    /// Page numbers by the top `depth` bits of a hash.
    private var directory: [UInt32] = [0]
    private var depth: UInt32 = 0

    /// Bytes of memory. O(1).
    var byteCount: Int { slots.byteCount + directory.count * MemoryLayout<UInt32>.stride }

    private static var pageSlots: Int { PagedArray<Entry>.pageCapacity }

    init() {
        addPage(depth: 0)
    }

    /// The entry with this hash for which `matches` holds. O(1) expected.
    @inline(__always)
    func find(_ hash: UInt32, matches: (Entry) -> Bool) -> Entry? {
        let page = slots.pointer(at: firstSlot(of: hash))
        var slot = home(hash)
        while !page[slot].isEmpty {
            if page[slot].hash == hash {
                let entry = page[slot]
                if matches(entry) { return entry }
            }
            slot = next(slot)
        }
        return nil
    }

    /// Adds an entry. O(1) amortized; a split costs a page.
    mutating func insert(_ entry: Entry) {
        makeRoom(for: entry.hash)
        let page = slots.writablePointer(at: firstSlot(of: entry.hash))
        page.pointee.text &+= 1
        place(entry, in: page)
    }

    /// Changes what the entry of a node, which is there, tells beside the node. O(1) expected.
    @inline(__always)
    mutating func update(_ node: UInt32, hash: UInt32, _ change: (inout Entry) -> Void) {
        let page = slots.writablePointer(at: firstSlot(of: hash))
        change(&page[slot(of: node, hash, in: page)])
    }

    /// Removes a node, which is there. O(1) expected.
    mutating func remove(_ node: UInt32, hash: UInt32) {
        let page = slots.writablePointer(at: firstSlot(of: hash))
        var hole = slot(of: node, hash, in: page)
        var slot = next(hole)
        // Entries move back over the hole as long as that is not before their own slot.
        while !page[slot].isEmpty {
            let home = home(page[slot].hash)
            let stays = hole < slot ? (hole < home && home <= slot) : (hole < home || home <= slot)
            if !stays {
                page[hole] = page[slot]
                hole = slot
            }
            slot = next(slot)
        }
        page[hole] = .empty
        page.pointee.text &-= 1
    }

    @inline(__always)
    private func firstSlot(of hash: UInt32) -> Int {
        // A shift by 32 gives 0: one directory entry while there is one page.
        Int(directory[Int(hash >> (32 - depth))]) &* Self.pageSlots
    }

    /// Where a hash belongs in a page: the first slot of a cache line, so that mostly one line is
    /// all that is looked at; but 1 for the line of the header. The low 16 bits decide: the top
    /// ones are the same in all of a page.
    @inline(__always)
    private func home(_ hash: UInt32) -> Int {
        max(1, (Int(hash & 0xFFFF) &* size) &>> 16 & ~(Self.lineSlots &- 1))
    }

    private static var lineSlots: Int { cacheLine / MemoryLayout<Entry>.stride }

    @inline(__always)
    private func next(_ slot: Int) -> Int { slot &+ 1 == size ? 1 : slot &+ 1 }

    private func place(_ entry: Entry, in page: UnsafeMutablePointer<Entry>) {
        var slot = home(entry.hash)
        while !page[slot].isEmpty { slot = next(slot) }
        page[slot] = entry
    }

    @inline(__always)
    private func slot(
        of node: UInt32, _ hash: UInt32, in page: UnsafeMutablePointer<Entry>
    ) -> Int {
        var slot = home(hash)
        while page[slot].node != node {
            assert(!page[slot].isEmpty, "the node is not in the index")
            slot = next(slot)
        }
        return slot
    }

    private mutating func addPage(depth: UInt32) {
        let first = slots.count
        slots.append(repeating: .empty, count: size)
        slots[first] = Entry(hash: 0, node: absent, text: 0, leaf: depth)
    }

    /// Grows or splits the page of `hash` until it is less than 13/16 full.
    private mutating func makeRoom(for hash: UInt32) {
        while true {
            let first = firstSlot(of: hash)
            if Int(slots[first].text) < size * 13 / 16 { return }
            if size < Self.pageSlots {
                let entries = entries(of: 0)
                slots.append(repeating: .empty, count: size)
                size *= 2
                refill(0, with: entries, depth: 0)
            } else {
                split(first / Self.pageSlots)
            }
        }
    }

    private func entries(of page: Int) -> [Entry] {
        let base = slots.pointer(at: page * Self.pageSlots)
        return (1..<size).map { base[$0] }.filter { !$0.isEmpty }
    }

    private mutating func split(_ page: Int) {
        let shared = slots[page * Self.pageSlots].leaf
        precondition(shared < 24, "hashes are not spread")
        if shared == depth {
            directory = directory.flatMap { [$0, $0] }
            depth += 1
        }
        let new = slots.count / Self.pageSlots
        let bit = UInt32(1) << (31 - shared)
        let entries = entries(of: page)
        addPage(depth: shared + 1)
        refill(page, with: entries.filter { $0.hash & bit == 0 }, depth: shared + 1)
        refill(new, with: entries.filter { $0.hash & bit != 0 }, depth: shared + 1)
        // Of the directory entries that named the page, those with the bit set name the new one.
        for index in directory.indices where directory[index] == UInt32(page) {
            if UInt32(index) << (32 - depth) & bit != 0 { directory[index] = UInt32(new) }
        }
    }

    private mutating func refill(_ number: Int, with entries: [Entry], depth: UInt32) {
        let page = slots.writablePointer(at: number * Self.pageSlots)
        page.update(repeating: .empty, count: size)
        page.pointee = Entry(hash: 0, node: absent, text: UInt32(entries.count), leaf: depth)
        for entry in entries { place(entry, in: page) }
    }

    /// Nil, or what is wrong: each entry must be where `find` looks for it.
    func checkInvariants(expecting expected: Int) -> String? {
        var total = 0
        for page in 0..<((slots.count + Self.pageSlots - 1) / Self.pageSlots) {
            let entries = entries(of: page)
            if entries.count != Int(slots[page * Self.pageSlots].text) {
                return "index page \(page): count"
            }
            for entry in entries
            where find(entry.hash, matches: { $0.node == entry.node }) == nil {
                return "index page \(page): an entry can't be found"
            }
            total += entries.count
        }
        return total == expected ? nil : "the index has \(total) entries, not \(expected)"
    }
}
