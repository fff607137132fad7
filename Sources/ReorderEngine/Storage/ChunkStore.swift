/// The memory of all chunks of a forest: blocks of 1, 2, 4 or 8 cache lines.
///
/// It is a buddy allocator: a free block and its free buddy merge into a block of twice the size,
/// so the memory of many small sequences can be used for a large one later, and vice versa.
struct ChunkStore: Sendable {
    private typealias Line = SIMD16<UInt32>
    private var lines = PagedArray<Line>()
    /// The size class of all chunks except root leaves, which may be smaller.
    let regularClass: Int

    init(regularClass: Int) {
        self.regularClass = regularClass
    }

    /// Bytes of memory. O(1).
    var byteCount: Int { lines.byteCount }

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

    /// A chunk's parent, and the chunk's index there.
    struct ParentSlot {
        /// The chunk that lists it.
        var parent: UInt32
        var index: Int
    }

    /// A chunk's parent, and its index there; nil for a root. O(1).
    @inline(__always)
    func place(of chunk: UInt32) -> ParentSlot? {
        let parent = reading(chunk).parent
        if parent == absent { return nil }
        return ParentSlot(parent: parent, index: reading(parent).index(of: chunk))
    }

    /// Makes a chunk the root of the children of `owner`. O(1).
    mutating func makeRoot(_ chunk: UInt32, of owner: UInt32) {
        let view = writing(chunk)
        view.parent = absent
        view.owner = owner
    }

    /// Allocates an empty chunk, initially the root of the children of `owner`. O(1).
    mutating func allocate(sizeClass: Int, isLeaf: Bool, owner: UInt32) -> UInt32 {
        let chunk = takeBlock(sizeClass)
        let base = UnsafeMutableRawPointer(lines.writablePointer(at: Int(chunk)))
        Chunk.initialize(base, sizeClass: sizeClass, isLeaf: isLeaf, owner: owner)
        return chunk
    }

    /// Frees a chunk's block. O(1).
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

    /// Appends a block, aligned to its size, so that it never crosses a page.
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

    /// The first violated invariant, or nil. It visits every block. `chunksInUse` is the number of
    /// chunks that the forest uses.
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
