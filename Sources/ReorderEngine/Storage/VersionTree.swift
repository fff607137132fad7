#if canImport(Darwin)
    import os
#else
    import Synchronization
#endif

/// The tree of the versions of a `PagedMemory`, which decides when their blocks are freed.
///
/// A version's parent is the version from which it was made. Both have the same blocks, except those
/// that were born in the child, and those that the child replaced:
///
///     blocks of the parent = blocks of the child born in the parent or before + replaced blocks
///
/// So only a version and its descendants can have a block that was born after its parent. A version
/// without values and children frees these blocks. The only child of a version without values takes
/// its place; the blocks that it replaced are freed, except those that its new parent has too, because
/// they were born there or before. A version without values that has several children stays, with all
/// its blocks, until one child is left.
struct VersionTree {
    private struct Version {
        /// Greater than the parent's. The version's blocks are born with it.
        var number: Int
        var parent: UInt32
        var hasValues = true
        /// The blocks of the parent that this version does not have.
        var replaced = BlockList()
        var firstChild = absent
        /// The parent's next child; for an unused element of `versions` the next unused one.
        var sibling = absent
    }

    private var versions: [Version] = []
    private var firstUnused = absent

    /// Adds a version that has the blocks of `parent`, which must not change any more.
    mutating func add(parent: UInt32) -> (index: UInt32, number: Int) {
        let version = Version(number: lastSharedBirth(parent) + 1, parent: parent)
        var index = firstUnused
        if index == absent {
            index = UInt32(versions.count)
            versions.append(version)
        } else {
            firstUnused = versions[Int(index)].sibling
            versions[Int(index)] = version
        }
        if parent != absent { link(index) }
        return (index, version.number)
    }

    /// Takes note that a version without children does not have a block any more.
    ///
    /// - Returns: whether the block must be freed, because no other version has it; and the last birth
    ///   of the blocks that other versions can have, which falls when versions disappear.
    mutating func discard(
        _ block: MemoryBlock, of version: UInt32
    ) -> (isFree: Bool, lastSharedBirth: Int) {
        let shared = lastSharedBirth(versions[Int(version)].parent)
        if block.birth > shared { return (true, shared) }
        versions[Int(version)].replaced.append(block)
        return (false, shared)
    }

    /// Takes note that a version has no values any more.
    ///
    /// - Parameter ownBlocks: returns the version's blocks that were born after the given birth. Called if
    ///   no version was made from this one.
    /// - Returns: blocks to free.
    mutating func end(_ version: UInt32, ownBlocks: (Int) -> BlockList) -> BlockList {
        versions[Int(version)].hasValues = false
        if versions[Int(version)].firstChild != absent { return giveToOnlyChild(version) }
        let parent = versions[Int(version)].parent
        var garbage = ownBlocks(lastSharedBirth(parent))
        remove(version)
        if parent != absent { giveToOnlyChild(parent).forEach { garbage.append($0) } }
        return garbage
    }

    /// Lets the child take the place of a version without values if it is the only one. Returns the
    /// blocks that no version has then.
    private mutating func giveToOnlyChild(_ version: UInt32) -> BlockList {
        let child = versions[Int(version)].firstChild
        guard !versions[Int(version)].hasValues, versions[Int(child)].sibling == absent else {
            return BlockList()
        }
        let parent = versions[Int(version)].parent
        var garbage = takeReplaced(of: child)
        if parent != absent {
            let shared = lastSharedBirth(parent)
            // Those of the version are many if its parent has had values for long: they are not copied.
            var (kept, free) = (takeReplaced(of: version), BlockList())
            garbage.forEach { block in
                if block.birth <= shared { kept.append(block) } else { free.append(block) }
            }
            versions[Int(child)].replaced = kept
            garbage = free
        }
        remove(version)
        versions[Int(child)].parent = parent
        if parent != absent { link(child) }
        return garbage
    }

    private mutating func takeReplaced(of version: UInt32) -> BlockList {
        var taken = BlockList()
        swap(&taken, &versions[Int(version)].replaced)
        return taken
    }

    /// The number of the parent: later blocks are in no version outside of its child's descendants.
    private func lastSharedBirth(_ parent: UInt32) -> Int {
        parent == absent ? -1 : versions[Int(parent)].number
    }

    /// Adds a version to its parent's children.
    private mutating func link(_ version: UInt32) {
        let parent = Int(versions[Int(version)].parent)
        versions[Int(version)].sibling = versions[parent].firstChild
        versions[parent].firstChild = version
    }

    /// Removes a version from the tree.
    private mutating func remove(_ version: UInt32) {
        let (parent, next) = (versions[Int(version)].parent, versions[Int(version)].sibling)
        if parent != absent {
            if versions[Int(parent)].firstChild == version {
                versions[Int(parent)].firstChild = next
            } else {
                var child = versions[Int(parent)].firstChild
                while versions[Int(child)].sibling != version {
                    child = versions[Int(child)].sibling
                }
                versions[Int(child)].sibling = next
            }
        }
        versions[Int(version)] = Version(number: 0, parent: absent, sibling: firstUnused)
        firstUnused = version
    }
}

/// Blocks. The first one is not in an array, because most versions replace only one.
struct BlockList {
    private var first: MemoryBlock?
    private var others: [MemoryBlock] = []

    mutating func append(_ block: MemoryBlock) {
        if first == nil { first = block } else { others.append(block) }
    }

    func forEach(_ body: (MemoryBlock) -> Void) {
        if let first { body(first) }
        for block in others { body(block) }
    }
}

/// The tree that all versions of a memory share.
final class LockedVersionTree: Sendable {
    #if canImport(Darwin)
        // `Mutex` would need iOS 18.
        private let tree = OSAllocatedUnfairLock(uncheckedState: VersionTree())
    #else
        private let tree = Mutex(VersionTree())
    #endif
    #if DEBUG && os(Linux)
        private let blocks = Atomic(0)

        /// The number of pages and directories of all versions.
        var blockCount: Int { blocks.load(ordering: .relaxed) }
    #endif

    @inline(__always)
    func withLock<Result: Sendable>(_ body: (inout VersionTree) -> Result) -> Result {
        #if canImport(Darwin)
            tree.withLockUnchecked(body)
        #else
            tree.withLock { body(&$0) }
        #endif
    }

    /// Counts blocks in debug builds, so that tests can see that all are freed.
    @inline(__always)
    func countBlocks(_ change: Int) {
        #if DEBUG && os(Linux)
            blocks.add(change, ordering: .relaxed)
        #endif
    }
}
