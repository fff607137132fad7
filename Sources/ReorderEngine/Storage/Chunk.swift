/// A chunk in memory: one node of the B+-tree that orders a sibling sequence.
///
/// A leaf lists nodes of the forest, each with its weight (the number of rows it adds). An inner
/// chunk lists chunks, each with its number of siblings and its weight. These values are stored as
/// columns of 32-bit numbers, after a header of 16 bytes. So searching and summing scan a few
/// adjacent cache lines, several entries per instruction:
///
///     0 count · 1 size class · 2 kind · 4 owner · 8 height · 12 parent · 16 ids, weights, counts
///
/// A `Chunk` is only an address. Its memory is not bound to a type and bounds are not checked,
/// because every operation spends most of its time searching and summing entries. Only `ChunkStore` creates
/// chunks.
struct Chunk {
    private let base: UnsafeMutableRawPointer

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer) { self.base = base }

    /// The number of cache lines in a chunk of size class `sizeClass`.
    @inline(__always)
    static func lines(in sizeClass: Int) -> Int { 1 &<< sizeClass }
    static let largestClass = 3
    private static let headerBytes = 16

    /// The number of entries in a chunk of this size class: 4, 9, 20, 41.
    @inline(__always)
    static func capacity(ofClass sizeClass: Int) -> Int {
        (lines(in: sizeClass) * cacheLine - headerBytes) / 12
    }

    private static var innerBit: UInt8 { 1 }
    private static var freeBit: UInt8 { 2 }

    /// Initializes the block at `base` as an empty chunk.
    static func initialize(
        _ base: UnsafeMutableRawPointer, sizeClass: Int, isLeaf: Bool, owner: UInt32
    ) {
        let chunk = Chunk(base)
        chunk.writeHeader(
            sizeClass: sizeClass, kind: isLeaf ? 0 : innerBit, owner: owner, height: 0)
    }

    /// Initializes the block as a free one, an element of a linked list: `owner` is the next block,
    /// `height` the previous one.
    static func initializeFree(_ base: UnsafeMutableRawPointer, sizeClass: Int, next: UInt32) {
        let chunk = Chunk(base)
        chunk.writeHeader(sizeClass: sizeClass, kind: freeBit, owner: next, height: absent)
    }

    private func writeHeader(sizeClass: Int, kind: UInt8, owner: UInt32, height: UInt32) {
        count = 0
        base.storeBytes(of: UInt8(sizeClass), toByteOffset: 1, as: UInt8.self)
        base.storeBytes(of: kind, toByteOffset: 2, as: UInt8.self)
        self.owner = owner
        self.height = height
        parent = absent
    }

    @inline(__always)
    var count: Int {
        get { Int(base.load(as: UInt8.self)) }
        nonmutating set {
            base.storeBytes(of: UInt8(truncatingIfNeeded: newValue), as: UInt8.self)
        }
    }
    var sizeClass: Int { Int(base.load(fromByteOffset: 1, as: UInt8.self)) }
    /// The maximum number of entries.
    @inline(__always)
    var capacity: Int { Self.capacity(ofClass: sizeClass) }
    @inline(__always)
    private var kind: UInt8 { base.load(fromByteOffset: 2, as: UInt8.self) }
    @inline(__always)
    var isLeaf: Bool { kind & Self.innerBit == 0 }
    var isFree: Bool { kind & Self.freeBit != 0 }
    @inline(__always)
    var isFull: Bool { count == capacity }
    /// Whether it has so few entries that it should be merged with a neighbor or refilled from it.
    @inline(__always)
    var isSparse: Bool { count < capacity / 4 }

    /// The node whose children this B+-tree lists; only valid in a root chunk.
    @inline(__always)
    var owner: UInt32 {
        get { base.load(fromByteOffset: 4, as: UInt32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 4, as: UInt32.self) }
    }
    /// The largest height among the nodes of this subtree.
    @inline(__always)
    var height: UInt32 {
        get { base.load(fromByteOffset: 8, as: UInt32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 8, as: UInt32.self) }
    }
    /// The chunk that lists this one, or `absent` for a root.
    @inline(__always)
    var parent: UInt32 {
        get { base.load(fromByteOffset: 12, as: UInt32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 12, as: UInt32.self) }
    }

    /// The listed nodes (in a leaf) or chunks (in an inner chunk).
    @inline(__always)
    var ids: UnsafeMutablePointer<UInt32> {
        (base + Self.headerBytes).assumingMemoryBound(to: UInt32.self)
    }
    /// The number of rows that each entry adds.
    @inline(__always)
    var weights: UnsafeMutablePointer<UInt32> { ids + capacity }
    /// The number of siblings below each listed chunk; only in inner chunks.
    @inline(__always)
    var counts: UnsafeMutablePointer<UInt32> { ids + 2 &* capacity }
}

extension Chunk {
    /// The index of `id`, which must be listed. The loop has no branches, so that the compiler can
    /// vectorize it.
    @inline(__always)
    func index(of id: UInt32) -> Int {
        let ids = ids
        var found: UInt32 = 0
        for index in 0..<UInt32(truncatingIfNeeded: count) where ids[Int(index)] == id {
            found |= index
        }
        assert(ids[Int(found)] == id)
        return Int(found)
    }

    /// The total weight of the entries before `index`.
    @inline(__always)
    func weight(before index: Int) -> UInt32 { Self.sum(weights, upTo: index) }

    /// The total weight of all entries.
    @inline(__always)
    var weight: UInt32 { weight(before: count) }

    /// The number of siblings below the entries before `index`.
    @inline(__always)
    func siblings(before index: Int) -> UInt32 {
        isLeaf ? UInt32(truncatingIfNeeded: index) : Self.sum(counts, upTo: index)
    }

    /// The number of siblings below this chunk.
    var siblings: UInt32 { siblings(before: count) }

    /// The sum of the first `end` numbers of a column.
    @inline(__always)
    private static func sum(_ column: UnsafeMutablePointer<UInt32>, upTo end: Int) -> UInt32 {
        var sum: UInt32 = 0
        for index in 0..<end { sum &+= column[index] }
        return sum
    }

    /// The entry that contains item number `rank`, if each entry has as many items as the column
    /// says. `rank` becomes the item's number within that entry.
    @inline(__always)
    static func select(_ rank: inout UInt32, in column: UnsafeMutablePointer<UInt32>) -> Int {
        var index = 0
        while rank >= column[index] {
            rank &-= column[index]
            index &+= 1
        }
        return index
    }

    /// Adds an entry to a leaf.
    @inline(__always)
    func insert(_ node: UInt32, weight: UInt32, at index: Int) {
        makeSpace(at: index)
        ids[index] = node
        weights[index] = weight
    }

    /// Makes space for `length` entries at `index`.
    @inline(__always)
    func makeSpace(at index: Int, length: Int = 1) {
        let moved = count - index
        (ids + index + length).update(from: ids + index, count: moved)
        (weights + index + length).update(from: weights + index, count: moved)
        if !isLeaf { (counts + index + length).update(from: counts + index, count: moved) }
        count += length
    }

    /// Removes the entries `index..<(index + length)`.
    @inline(__always)
    func removeEntries(at index: Int, length: Int = 1) {
        let moved = count - index - length
        (ids + index).update(from: ids + index + length, count: moved)
        (weights + index).update(from: weights + index + length, count: moved)
        if !isLeaf { (counts + index).update(from: counts + index + length, count: moved) }
        count -= length
    }

    /// Copies entries of `other`, a chunk of the same kind, over those from `index` on.
    func copyEntries(_ range: Range<Int>, of other: Chunk, to index: Int) {
        (ids + index).update(from: other.ids + range.lowerBound, count: range.count)
        (weights + index).update(from: other.weights + range.lowerBound, count: range.count)
        guard !isLeaf else { return }
        (counts + index).update(from: other.counts + range.lowerBound, count: range.count)
    }
}
