/// A chunk in memory: one node of the B+-tree that orders a sibling sequence.
///
/// A leaf lists nodes of the forest, each with its mark (a number that the forest keeps for its
/// owner) and its weight (the rows it adds). An inner chunk lists chunks, each with its count of
/// siblings and its weight. All are columns of 32-bit numbers behind a header of 16 bytes, so that
/// looking for an entry and summing up to it run over a few adjacent cache lines, several entries
/// an instruction:
///
///     0 count · 1 size class · 2 kind · 3 capacity · 4 owner · 8 height · 12 uneven
///     16 ids, marks or counts, weights
///
/// Ids past the count are `absent`, so that looking for one need not know the count. Nor do the
/// columns of most chunks wait for the header: whoever knows the capacity says it, and all lines
/// of the chunk come from memory at once.
///
/// This is a bare address: bytes are bound to no type and not checked against the chunk's end,
/// since these loops are what every operation spends its time in. Only `ChunkStore` makes one.
struct Chunk {
    private let base: UnsafeMutableRawPointer
    /// Entries there is room for.
    let capacity: Int

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer) {
        self.init(base, capacity: Int(base.load(fromByteOffset: 3, as: UInt8.self)))
    }

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer, capacity: Int) {
        self.base = base
        self.capacity = capacity
    }

    /// Cache lines in a chunk of size class `sizeClass`.
    @inline(__always)
    static func lines(in sizeClass: Int) -> Int { 1 &<< sizeClass }
    static let largestClass = 3
    private static let headerBytes = 16

    /// Entries a chunk of this size class has room for: 4, 9, 20, 41.
    static func capacity(ofClass sizeClass: Int) -> Int {
        (lines(in: sizeClass) * cacheLine - headerBytes) / 12
    }

    private static var innerBit: UInt8 { 1 }
    private static var freeBit: UInt8 { 2 }

    /// Makes the block of size class `sizeClass` at `base` an empty chunk.
    static func initialize(
        _ base: UnsafeMutableRawPointer, sizeClass: Int, isLeaf: Bool, owner: UInt32
    ) {
        let chunk = Chunk(base, capacity: capacity(ofClass: sizeClass))
        chunk.writeHeader(
            sizeClass: sizeClass, kind: isLeaf ? 0 : innerBit, owner: owner, height: 0)
        chunk.ids.update(repeating: absent, count: chunk.capacity)
    }

    /// Makes it a free one, a link of a list: `owner` is the next, `height` the one before.
    static func initializeFree(_ base: UnsafeMutableRawPointer, sizeClass: Int, next: UInt32) {
        let chunk = Chunk(base, capacity: capacity(ofClass: sizeClass))
        chunk.writeHeader(sizeClass: sizeClass, kind: freeBit, owner: next, height: absent)
    }

    private func writeHeader(sizeClass: Int, kind: UInt8, owner: UInt32, height: UInt32) {
        count = 0
        base.storeBytes(of: UInt8(sizeClass), toByteOffset: 1, as: UInt8.self)
        base.storeBytes(of: kind, toByteOffset: 2, as: UInt8.self)
        base.storeBytes(of: UInt8(capacity), toByteOffset: 3, as: UInt8.self)
        self.owner = owner
        self.height = height
        uneven = 0
    }

    @inline(__always)
    var count: Int {
        get { Int(base.load(as: UInt8.self)) }
        nonmutating set {
            base.storeBytes(of: UInt8(truncatingIfNeeded: newValue), as: UInt8.self)
        }
    }
    /// Drops the entries from `end` on.
    @inline(__always)
    func truncate(to end: Int) {
        (ids + end).update(repeating: absent, count: count - end)
        count = end
    }
    var sizeClass: Int { Int(base.load(fromByteOffset: 1, as: UInt8.self)) }
    @inline(__always)
    private var kind: UInt8 { base.load(fromByteOffset: 2, as: UInt8.self) }
    @inline(__always)
    var isLeaf: Bool { kind & Self.innerBit == 0 }
    var isFree: Bool { kind & Self.freeBit != 0 }
    @inline(__always)
    var isFull: Bool { count == capacity }
    /// Whether so few entries are left that a neighbour should take them or give some.
    @inline(__always)
    var isSparse: Bool { count < capacity / 4 }

    /// The node whose children these are; kept in root chunks only.
    @inline(__always)
    var owner: UInt32 {
        get { base.load(fromByteOffset: 4, as: UInt32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 4, as: UInt32.self) }
    }
    /// The largest height among the nodes beneath.
    @inline(__always)
    var height: UInt32 {
        get { base.load(fromByteOffset: 8, as: UInt32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 8, as: UInt32.self) }
    }

    /// Entries of a leaf whose weight is not 1. Mostly there are none; then the weights are not
    /// even kept, and a place in the leaf tells the rows before it.
    @inline(__always)
    private(set) var uneven: Int {
        get { Int(base.load(fromByteOffset: 12, as: UInt8.self)) }
        nonmutating set {
            base.storeBytes(
                of: UInt8(truncatingIfNeeded: newValue), toByteOffset: 12, as: UInt8.self)
        }
    }

    /// The nodes (in a leaf) or chunks (in an inner one) listed.
    @inline(__always)
    var ids: UnsafeMutablePointer<UInt32> {
        (base + Self.headerBytes).assumingMemoryBound(to: UInt32.self)
    }
    /// Siblings beneath each chunk listed; inner chunks only.
    @inline(__always)
    var counts: UnsafeMutablePointer<UInt32> { ids + capacity }
    /// The marks of the nodes listed; leaves only.
    @inline(__always)
    var marks: UnsafeMutablePointer<UInt32> { ids + capacity }
    /// Rows that each entry adds; not kept in a leaf that has nothing uneven.
    @inline(__always)
    var weights: UnsafeMutablePointer<UInt32> { ids + 2 &* capacity }
}

extension Chunk {
    /// The index of node `id`, which a leaf lists. Branch-free, so that it runs as vectors.
    @inline(__always)
    func index(of id: UInt32) -> Int {
        let ids = ids
        var found: UInt32 = 0
        for index in 0..<UInt32(truncatingIfNeeded: capacity) where ids[Int(index)] == id {
            found |= index
        }
        assert(ids[Int(found)] == id)
        return Int(found)
    }

    /// What the entries before `index` weigh.
    @inline(__always)
    func weight(before index: Int) -> UInt32 {
        isLeaf && uneven == 0
            ? UInt32(truncatingIfNeeded: index) : Self.sum(weights, upTo: index)
    }

    /// The entry of a leaf in which row `rank` lies; `rank` becomes the row within that entry.
    @inline(__always)
    func selectRow(_ rank: inout UInt32) -> Int {
        if uneven > 0 { return Self.select(&rank, in: weights) }
        defer { rank = 0 }
        return Int(rank)
    }

    /// What an entry of a leaf weighs.
    @inline(__always)
    func leafWeight(at index: Int) -> UInt32 { uneven == 0 ? 1 : weights[index] }

    /// Changes what an entry of a leaf weighs.
    func setLeafWeight(_ weight: UInt32, at index: Int) {
        if uneven == 0 {
            if weight == 1 { return }
            writeWeights()
        }
        uneven += (weight != 1 ? 1 : 0) - (weights[index] != 1 ? 1 : 0)
        weights[index] = weight
    }

    /// Opens a place in a leaf for a node of weight 1.
    @inline(__always)
    func insert(_ node: UInt32, mark: UInt32, at index: Int) {
        openGap(at: index)
        ids[index] = node
        marks[index] = mark
        if uneven != 0 { weights[index] = 1 }
    }

    /// Takes an entry out of a leaf.
    @inline(__always)
    func remove(at index: Int) {
        setLeafWeight(1, at: index)
        closeGap(at: index)
    }

    /// Has a leaf keep its weights whatever they are, while entries are copied from or to it.
    func beginCopying() {
        guard isLeaf else { return }
        if uneven == 0 { writeWeights() }
        uneven = Int(UInt8.max)
    }

    func endCopying() {
        guard isLeaf else { return }
        var found = 0
        for index in 0..<count where weights[index] != 1 { found += 1 }
        uneven = found
    }

    private func writeWeights() {
        weights.update(repeating: 1, count: count)
    }

    /// The sum of the first `end` numbers of a column.
    @inline(__always)
    static func sum(_ column: UnsafeMutablePointer<UInt32>, upTo end: Int) -> UInt32 {
        var sum: UInt32 = 0
        for index in 0..<end { sum &+= column[index] }
        return sum
    }

    /// The same, looking at all of the chunk: nobody can foresee where `end` is, so nothing branches
    /// on it.
    @inline(__always)
    func sum(_ column: UnsafeMutablePointer<UInt32>, before end: Int) -> UInt32 {
        let end = Int32(truncatingIfNeeded: end)
        var sum: UInt32 = 0
        for index in 0..<Int32(truncatingIfNeeded: capacity) {
            sum &+= column[Int(index)] & UInt32(bitPattern: (index &- end) &>> 31)
        }
        return sum
    }

    /// The entry in which number `rank` of what a column counts lies; `rank` becomes the number
    /// within that entry.
    @inline(__always)
    static func select(_ rank: inout UInt32, in column: UnsafeMutablePointer<UInt32>) -> Int {
        var index = 0
        while rank >= column[index] {
            rank &-= column[index]
            index &+= 1
        }
        return index
    }

    /// Siblings beneath this chunk.
    var siblings: UInt32 {
        isLeaf ? UInt32(count) : Self.sum(counts, upTo: count)
    }

    /// Opens a gap of `length` entries at `index`.
    @inline(__always)
    func openGap(at index: Int, length: Int = 1) {
        let moved = count - index
        (ids + index + length).update(from: ids + index, count: moved)
        (marks + index + length).update(from: marks + index, count: moved)
        if !isLeaf || uneven != 0 {
            (weights + index + length).update(from: weights + index, count: moved)
        }
        count += length
    }

    /// Closes the entries `index..<(index + length)`.
    @inline(__always)
    func closeGap(at index: Int, length: Int = 1) {
        let moved = count - index - length
        (ids + index).update(from: ids + index + length, count: moved)
        (marks + index).update(from: marks + index + length, count: moved)
        if !isLeaf || uneven != 0 {
            (weights + index).update(from: weights + index + length, count: moved)
        }
        truncate(to: count - length)
    }

    /// Copies entries of `other`, a chunk of the same kind, over those from `index` on.
    func copyEntries(_ range: Range<Int>, of other: Chunk, to index: Int) {
        (ids + index).update(from: other.ids + range.lowerBound, count: range.count)
        (marks + index).update(from: other.marks + range.lowerBound, count: range.count)
        (weights + index).update(from: other.weights + range.lowerBound, count: range.count)
    }
}
