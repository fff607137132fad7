/// A version of a `PagedMemory`: its directories. The values of the version refer to it, so it is
/// deinitialized when none is left.
final class PageVersion: ManagedBuffer<PageVersionFields, MemoryBlock?> {
    /// Creates a version with the directories of `previous`, which is not written any more.
    static func make(count: Int, after previous: PageVersion?) -> PageVersion {
        let tree = previous?.tree ?? LockedVersionTree()
        let (index, number) = tree.withLock { tree in
            previous?.fields.pointee.hasSuccessors = true
            return tree.add(parent: previous?.fields.pointee.index ?? absent)
        }
        let new = unsafeDowncast(
            create(minimumCapacity: count) { _ in
                PageVersionFields(count: count, number: number, index: index, tree: tree)
            }, to: PageVersion.self)
        let copied = previous?.count ?? 0
        if let previous {
            new.directories.initialize(from: previous.directories, count: copied)
        }
        (new.directories + copied).initialize(repeating: nil, count: count - copied)
        return new
    }

    @inline(__always)
    var directories: UnsafeMutablePointer<MemoryBlock?> {
        withUnsafeMutablePointerToElements { $0 }
    }
    /// Not `header`, because each access to that is checked at run time, in 70 instructions.
    @inline(__always)
    private var fields: UnsafeMutablePointer<PageVersionFields> {
        withUnsafeMutablePointerToHeader { $0 }
    }
    /// The number of directories, including absent ones.
    var count: Int { fields.pointee.count }
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
                var own: [MemoryBlock] = []
                let all = UnsafeBufferPointer(start: directories, count: count)
                for case let directory? in all where directory.birth > lastSharedBirth {
                    own += directory.slots.compactMap(\.self).filter { $0.birth > lastSharedBirth }
                    own.append(directory)
                }
                return own
            }
        }
        for block in garbage { free(block) }
    }
}

struct PageVersionFields {
    let count: Int
    let number: Int
    let index: UInt32
    /// Changed with the lock of the tree.
    var hasSuccessors = false
    let tree: LockedVersionTree
}
