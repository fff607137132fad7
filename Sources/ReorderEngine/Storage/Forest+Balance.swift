extension Forest {
    /// The position, among all siblings, of an insertion that needs a split.
    enum Split {
        case first, middle, last

        /// The number of entries that stay in the left half of a full chunk. Growing at one end
        /// leaves chunks three quarters full: a list that is loaded in order needs less memory, and
        /// its chunks still have space for later moves.
        func kept(of count: Int) -> Int {
            switch self {
            case .first: count / 4
            case .middle: count / 2
            case .last: count - count / 4
            }
        }
    }

    /// The root chunk of `owner`'s children, with space for one more entry.
    mutating func rootWithRoom(of owner: UInt32) -> UInt32 {
        let root = nodes.pointer(at: Int(owner)).pointee.children
        if root != absent, !chunks.reading(root).isFull { return root }
        let new: UInt32
        if root == absent {
            new = chunks.allocate(sizeClass: 0, isLeaf: true, owner: owner)
        } else if chunks.reading(root).sizeClass < chunks.regularClass {
            return resizeRoot(root, of: owner, by: 1)
        } else {
            new = chunks.allocate(
                sizeClass: chunks.regularClass, isLeaf: false, owner: owner)
            let (view, old) = (chunks.writing(new), chunks.writing(root))
            view.count = 1
            view.ids[0] = root
            view.counts[0] = old.siblings
            view.weights[0] = old.weight
            view.height = old.height
            old.parent = new
        }
        nodes.writablePointer(at: Int(owner)).pointee.children = new
        return new
    }

    /// Makes the root chunk as small as possible after a removal.
    mutating func lowerRoot(_ root: UInt32, of owner: UInt32) {
        var root = root
        var view = chunks.reading(root)
        while !view.isLeaf, view.count == 1 {
            let child = view.ids[0]
            chunks.free(root)
            nodes.writablePointer(at: Int(owner)).pointee.children = child
            root = child
            chunks.makeRoot(child, of: owner)
            view = chunks.reading(child)
        }
        guard view.isLeaf else { return }
        if view.count == 0 {
            chunks.free(root)
            nodes.writablePointer(at: Int(owner)).pointee.children = absent
        } else if view.sizeClass > 0 {
            // The smaller chunk must be at most half full, so that the next insertions do not grow
            // it again.
            let smaller = Chunk.capacity(ofClass: view.sizeClass - 1)
            if view.count <= smaller / 2 { _ = resizeRoot(root, of: owner, by: -1) }
        }
    }

    /// Splits the full chunk `index` of `parent`, which must have space for the new half.
    mutating func split(_ index: Int, of parent: UInt32, _ split: Split) {
        let left = chunks.reading(parent).ids[index]
        let old = chunks.reading(left)
        let right = chunks.allocate(
            sizeClass: chunks.regularClass, isLeaf: old.isLeaf, owner: absent)
        let above = chunks.writing(parent)
        let (from, to) = (chunks.writing(left), chunks.writing(right))
        let kept = split.kept(of: from.count)
        to.copyEntries(kept..<from.count, of: from, to: 0)
        to.count = from.count - kept
        from.count = kept
        adopt(0..<to.count, by: right)
        refreshHeights(from, to)
        above.makeSpace(at: index + 1)
        above.ids[index + 1] = right
        to.parent = parent
        refreshEntry(index, of: above, from: from)
        refreshEntry(index + 1, of: above, from: to)
    }

    /// Merges the sparse chunk `index` of `parent` with a neighbor, or refills it from the
    /// neighbor.
    mutating func rebalance(_ index: Int, of parent: UInt32) {
        let above = chunks.writing(parent)
        let first = max(0, index - 1)
        let (left, right) = (above.ids[first], above.ids[first + 1])
        let (low, high) = (chunks.writing(left), chunks.writing(right))
        let total = low.count + high.count
        if total > low.capacity * 3 / 4 {
            even(left, right)
            refreshEntry(first, of: above, from: low)
            refreshEntry(first + 1, of: above, from: high)
            return
        }
        // The smaller one moves, because each moved entry costs a visit to its node or chunk.
        let height = max(low.height, high.height)
        if low.count >= high.count {
            moveToEnd(high.count, from: right, to: left)
            low.height = height
            refreshEntry(first, of: above, from: low)
            above.removeEntries(at: first + 1)
            chunks.free(right)
        } else {
            moveToStart(low.count, from: left, to: right)
            high.height = height
            refreshEntry(first + 1, of: above, from: high)
            above.removeEntries(at: first)
            chunks.free(left)
        }
    }

    /// Distributes the entries of two neighbors evenly.
    private mutating func even(_ left: UInt32, _ right: UInt32) {
        let (low, high) = (chunks.writing(left), chunks.writing(right))
        let half = (low.count + high.count) / 2
        if low.count < half {
            moveToEnd(half - low.count, from: right, to: left)
        } else {
            moveToStart(low.count - half, from: left, to: right)
        }
        let height = max(low.height, high.height)
        (low.height, high.height) = (height, height)
        refreshHeights(low, high)
    }

    /// Moves the first `length` entries of `right` to the end of `left`.
    private mutating func moveToEnd(_ length: Int, from right: UInt32, to left: UInt32) {
        let (low, high) = (chunks.writing(left), chunks.writing(right))
        let end = low.count
        low.copyEntries(0..<length, of: high, to: end)
        low.count = end + length
        high.removeEntries(at: 0, length: length)
        adopt(end..<low.count, by: left)
    }

    /// Moves the last `length` entries of `left` to the start of `right`.
    private mutating func moveToStart(_ length: Int, from left: UInt32, to right: UInt32) {
        let (low, high) = (chunks.writing(left), chunks.writing(right))
        high.makeSpace(at: 0, length: length)
        let moved = (low.count - length)..<low.count
        high.copyEntries(moved, of: low, to: 0)
        low.count -= length
        adopt(0..<length, by: right)
    }

    /// Replaces a root leaf by one of another size class.
    private mutating func resizeRoot(_ root: UInt32, of owner: UInt32, by change: Int) -> UInt32 {
        let sizeClass = chunks.reading(root).sizeClass + change
        let new = chunks.allocate(sizeClass: sizeClass, isLeaf: true, owner: owner)
        let (to, from) = (chunks.writing(new), chunks.writing(root))
        to.copyEntries(0..<from.count, of: from, to: 0)
        to.count = from.count
        to.height = from.height
        chunks.free(root)
        adopt(0..<to.count, by: new)
        nodes.writablePointer(at: Int(owner)).pointee.children = new
        return new
    }

    /// Updates the back references of the entries in `range` of `chunk`: from nodes to their leaf,
    /// from chunks to their parent.
    private mutating func adopt(_ range: Range<Int>, by chunk: UInt32) {
        let view = chunks.writing(chunk)
        for index in range {
            if view.isLeaf {
                nodes.writablePointer(at: Int(view.ids[index])).pointee.leaf = chunk
            } else {
                chunks.writing(view.ids[index]).parent = chunk
            }
        }
    }

    /// Computes the heights of two chunks that exchanged entries. Before the call, `first.height`
    /// is the maximum of both.
    private func refreshHeights(_ first: Chunk, _ second: Chunk) {
        second.height = first.height
        if first.height > 1 {
            second.height = greatestHeight(in: second)
            first.height = greatestHeight(in: first)
        }
    }

    /// Updates the count and the weight of entry `index` of a parent.
    private func refreshEntry(_ index: Int, of above: Chunk, from child: Chunk) {
        above.counts[index] = child.siblings
        above.weights[index] = child.weight
    }
}
