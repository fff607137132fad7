/// The memory of all chunks of a forest: blocks of 1, 2, 4 or 8 cache lines.
///
/// A buddy allocator: a block that is free joins its free buddy to one of twice the size, so that
/// memory of many small sequences serves a large one later, and the other way round.
struct ChunkStore: Sendable {
    private typealias Line = SIMD16<UInt32>
    private var lines = PagedArray<Line>()
    /// Which chunk lists each chunk, and where in it: an element for each block of `regularClass`.
    ///
    /// They stand apart from the chunks because so they are few enough to stay in a processor's
    /// caches: while a leaf is on its way from memory, the way up from it has been gone already.
    private var places = PagedArray<Place>()
    /// The labels of what leaves of `regularClass` list: an element for each block of that class.
    private var labels = PagedArray<LeafLabels>()
    /// The size class of all chunks but leaves that are roots, which may be smaller.
    let regularClass: Int
    private let regularCapacity: Int

    init(regularClass: Int) {
        self.regularClass = regularClass
        regularCapacity = Chunk.capacity(ofClass: regularClass)
    }

    /// Bytes of memory. O(1).
    var byteCount: Int { lines.byteCount + places.byteCount + labels.byteCount }

    /// The first free block of each size class.
    private var freeHeads = SIMD4<UInt32>(repeating: absent)

    /// The chunk at `chunk`, for reading: valid until the next write to the store. O(1).
    @inline(__always)
    func reading(_ chunk: UInt32) -> Chunk {
        Chunk(UnsafeMutableRawPointer(mutating: lines.pointer(at: Int(chunk))))
    }

    /// The chunk at `chunk`, for writing: valid until the next `allocate`. O(1).
    @inline(__always)
    mutating func writing(_ chunk: UInt32) -> Chunk {
        Chunk(UnsafeMutableRawPointer(lines.writablePointer(at: Int(chunk))))
    }

    /// As `reading`, of a chunk that has a parent or is none of the leaves. O(1).
    @inline(__always)
    func readingRegular(_ chunk: UInt32) -> Chunk {
        let base = UnsafeMutableRawPointer(mutating: lines.pointer(at: Int(chunk)))
        return Chunk(base, capacity: regularCapacity)
    }

    /// As `writing`, of a chunk that has a parent or is none of the leaves. O(1).
    @inline(__always)
    mutating func writingRegular(_ chunk: UInt32) -> Chunk {
        let base = UnsafeMutableRawPointer(lines.writablePointer(at: Int(chunk)))
        return Chunk(base, capacity: regularCapacity)
    }

    /// Whether a leaf has labels; small ones have not, and all nodes there have label 0.
    @inline(__always)
    func hasLabels(_ leaf: Chunk) -> Bool { leaf.capacity == regularCapacity }

    /// The labels of a leaf that has some. O(1).
    @inline(__always)
    func labels(of leaf: UInt32) -> LeafLabels { labels[Int(leaf) &>> regularClass] }

    /// The labels of a leaf that has some, for writing: as `writing`. O(1).
    @inline(__always)
    mutating func writingLabels(of leaf: UInt32) -> UnsafeMutablePointer<LeafLabels> {
        labels.writablePointer(at: Int(leaf) &>> regularClass)
    }

    /// Where in a leaf a node is listed that has this seat. O(1).
    @inline(__always)
    func index(of node: UInt32, at seat: Seat, in leaf: Chunk) -> Int {
        hasLabels(leaf) ? labels(of: seat.leaf).index(of: seat.label) : leaf.index(of: node)
    }

    /// Has the labels of a leaf tell whether it has weights, after they changed. O(1).
    @inline(__always)
    mutating func noteWeights(of leaf: UInt32, _ view: Chunk) {
        guard view.isLeaf, hasLabels(view) else { return }
        let hasWeights = view.uneven != 0
        if labels(of: leaf).hasWeights != hasWeights {
            writingLabels(of: leaf).pointee.hasWeights = hasWeights
        }
    }

    /// Where a chunk is listed.
    struct Place: BitwiseCopyable, Equatable {
        /// The chunk that lists it in the upper bits, the index there in the lower ones.
        private let bits: UInt32
        private static var indexBits: UInt32 { 6 }

        /// That of a root, which no chunk lists.
        static var none: Place { Place(bits: absent) }
        private init(bits: UInt32) { self.bits = bits }

        @inline(__always)
        init(parent: UInt32, index: Int) {
            bits = parent &<< Self.indexBits | UInt32(truncatingIfNeeded: index)
        }

        @inline(__always)
        var parent: UInt32 { bits &>> Self.indexBits }
        @inline(__always)
        var index: Int { Int(bits & (1 &<< Self.indexBits - 1)) }
    }

    /// Where a chunk is listed; nil for a root. O(1).
    @inline(__always)
    func place(of chunk: UInt32) -> Place? {
        let place = places.pointer(at: Int(chunk) &>> regularClass).pointee
        return place == .none ? nil : place
    }

    /// Notes where a chunk, which is regular, is listed. O(1).
    @inline(__always)
    mutating func setPlace(of chunk: UInt32, _ place: Place) {
        places[Int(chunk) &>> regularClass] = place
    }

    /// Makes a chunk the root of the children of `owner`. O(1).
    mutating func makeRoot(_ chunk: UInt32, of owner: UInt32) {
        setPlace(of: chunk, .none)
        writing(chunk).owner = owner
    }

    /// A new, empty chunk, for now the root of the children of `owner`. O(1).
    mutating func allocate(sizeClass: Int, isLeaf: Bool, owner: UInt32) -> UInt32 {
        let chunk = takeBlock(sizeClass)
        let base = UnsafeMutableRawPointer(lines.writablePointer(at: Int(chunk)))
        Chunk.initialize(base, sizeClass: sizeClass, isLeaf: isLeaf, owner: owner)
        setPlace(of: chunk, .none)
        if isLeaf, sizeClass == regularClass {
            labels[Int(chunk) &>> regularClass] = LeafLabels()
        }
        return chunk
    }

    /// Gives a chunk's block back. O(1).
    mutating func free(_ chunk: UInt32) {
        var block = chunk
        var sizeClass = reading(chunk).sizeClass
        while sizeClass < Chunk.largestClass {
            let buddy = block ^ UInt32(Chunk.lines(in: sizeClass))
            guard Int(buddy) < lines.count, reading(buddy).isFree,
                reading(buddy).sizeClass == sizeClass
            else { break }
            unlink(buddy)
            block = min(block, buddy)
            sizeClass += 1
        }
        link(block, sizeClass)
    }

    private mutating func takeBlock(_ sizeClass: Int) -> UInt32 {
        var found = sizeClass
        while found <= Chunk.largestClass, freeHeads[found] == absent { found += 1 }
        guard found <= Chunk.largestClass else { return extend(by: sizeClass) }
        let block = freeHeads[found]
        unlink(block)
        while found > sizeClass {
            found -= 1
            link(block + UInt32(Chunk.lines(in: found)), found)
        }
        return block
    }

    /// A block past the end, aligned to its size, so that it never crosses a page.
    private mutating func extend(by sizeClass: Int) -> UInt32 {
        let size = Chunk.lines(in: sizeClass)
        while lines.count & (size - 1) != 0 {
            let filler = UInt32(lines.count)
            let fillerClass = filler.trailingZeroBitCount
            append(lines: Chunk.lines(in: fillerClass))
            link(filler, fillerClass)
        }
        let block = UInt32(lines.count)
        append(lines: size)
        return block
    }

    private mutating func append(lines count: Int) {
        lines.append(repeating: Line(), count: count)
        precondition(lines.count < Seat.limit, "more chunks than seats can name")
        let missing = (lines.count - 1) >> regularClass + 1 - places.count
        if missing > 0 {
            places.append(repeating: .none, count: missing)
            labels.append(repeating: LeafLabels(), count: missing)
        }
    }

    private mutating func link(_ block: UInt32, _ sizeClass: Int) {
        let next = freeHeads[sizeClass]
        let base = UnsafeMutableRawPointer(lines.writablePointer(at: Int(block)))
        Chunk.initializeFree(base, sizeClass: sizeClass, next: next)
        if next != absent { writing(next).height = block }
        freeHeads[sizeClass] = block
    }

    private mutating func unlink(_ block: UInt32) {
        let chunk = reading(block)
        let (next, previous, sizeClass) = (chunk.owner, chunk.height, chunk.sizeClass)
        if next != absent { writing(next).height = previous }
        if previous != absent {
            writing(previous).owner = next
        } else {
            freeHeads[sizeClass] = next
        }
    }

    /// Nil, or what is wrong: walks every block, given how many chunks are in use.
    func checkInvariants(chunksInUse: Int) -> String? {
        var (line, used, free) = (0, 0, 0)
        while line < lines.count {
            let chunk = reading(UInt32(line))
            let size = Chunk.lines(in: chunk.sizeClass)
            if line & (size - 1) != 0 { return "block \(line) is not aligned" }
            if chunk.isFree { free += 1 } else { used += 1 }
            line += size
        }
        if line != lines.count { return "the last block ends past the store" }
        if used != chunksInUse { return "\(used) chunks are marked used, \(chunksInUse) are" }
        var linked = 0
        for sizeClass in 0...Chunk.largestClass {
            var (block, previous) = (freeHeads[sizeClass], absent)
            while block != absent {
                let chunk = reading(block)
                if !chunk.isFree || chunk.sizeClass != sizeClass || chunk.height != previous {
                    return "free block \(block) is linked wrongly"
                }
                linked += 1
                if linked > free { return "the free list has a cycle" }
                (previous, block) = (block, chunk.owner)
            }
        }
        return linked == free ? nil : "\(free) blocks are free, \(linked) are linked"
    }
}
