/// A version of a `PagedMemory`: the addresses of its pages or directories. The values of the version refer
/// to it, so it is deinitialized when none is left.
final class PageVersion: ManagedBuffer<PageVersionFields, MemoryBlock?> {
    /// Creates a version with the blocks of `previous`, which is not written any more.
    static func make(count: Int, after previous: PageVersion?) -> PageVersion {
        let tree = previous?.tree ?? LockedVersionTree()
        let (index, number) = tree.withLock { tree in
            previous?.fields.pointee.hasSuccessors = true
            return tree.add(parent: previous?.fields.pointee.index ?? absent)
        }
        let new = unsafeDowncast(
            create(minimumCapacity: count) { _ in
                PageVersionFields(
                    count: count, number: number, index: index,
                    hasDirectories: previous?.hasDirectories ?? false, tree: tree)
            }, to: PageVersion.self)
        let copied = previous?.count ?? 0
        if let previous { new.slots.initialize(from: previous.slots, count: copied) }
        (new.slots + copied).initialize(repeating: nil, count: count - copied)
        return new
    }

    @inline(__always)
    var slots: UnsafeMutablePointer<MemoryBlock?> { withUnsafeMutablePointerToElements { $0 } }
    /// Not `header`, because each access to that is checked at run time, in 70 instructions.
    @inline(__always)
    private var fields: UnsafeMutablePointer<PageVersionFields> {
        withUnsafeMutablePointerToHeader { $0 }
    }
    /// The number of slots, including empty ones.
    var count: Int { fields.pointee.count }
    /// Whether the slots are those of directories, not of pages. Only a version that is not shared may be
    /// changed.
    var hasDirectories: Bool {
        get { fields.pointee.hasDirectories }
        set { fields.pointee.hasDirectories = newValue }
    }
    /// The birth of the version's own blocks.
    var number: Int { fields.pointee.number }
    /// Whether a version was ever made from this one. Only a value that is the only one may ask,
    /// because others could change it.
    @inline(__always)
    var hasSuccessors: Bool { fields.pointee.hasSuccessors }
    var tree: LockedVersionTree { fields.pointee.tree }

    func allocate(byteCount: Int) -> MemoryBlock {
        tree.countBlocks(1)
        return .allocate(byteCount: byteCount, birth: number)
    }

    /// Frees a block that this version does not have any more, unless other versions have it. Returns
    /// the last birth of the blocks that other versions can have.
    func discard(_ block: MemoryBlock) -> Int {
        let index = fields.pointee.index
        let (isFree, lastSharedBirth) = tree.withLock { $0.discard(block, of: index) }
        if isFree { free(block) }
        return lastSharedBirth
    }

    private func free(_ block: MemoryBlock) {
        tree.countBlocks(-1)
        block.deallocate()
    }

    deinit {
        // Other versions wait for the lock, so the blocks are freed without it.
        let garbage = tree.withLock { tree in
            tree.end(fields.pointee.index) { lastSharedBirth in
                var own = BlockList()
                func add(_ slots: UnsafeMutableBufferPointer<MemoryBlock?>, areDirectories: Bool) {
                    for case let block? in slots where block.birth > lastSharedBirth {
                        if areDirectories { add(block.slots, areDirectories: false) }
                        own.append(block)
                    }
                }
                add(
                    UnsafeMutableBufferPointer(start: slots, count: count),
                    areDirectories: hasDirectories)
                return own
            }
        }
        garbage.forEach { free($0) }
    }
}

struct PageVersionFields {
    let count: Int
    let number: Int
    let index: UInt32
    var hasDirectories: Bool
    /// Changed with the lock of the tree.
    var hasSuccessors = false
    let tree: LockedVersionTree
}
