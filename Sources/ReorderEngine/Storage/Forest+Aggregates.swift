extension Forest {
    /// Adds `change` (modulo 2³², so it may be negative) to the row counts of `owner` and its
    /// ancestors, up to and including the first collapsed one.
    mutating func addRows(_ change: UInt32, beneath owner: UInt32) {
        if change == 0 { return }
        var owner = owner
        while true {
            let record = nodes.writablePointer(at: Int(owner))
            record.pointee.expanded &+= change
            let parent = record.pointee.parent
            if record.pointee.isCollapsed || parent == absent { return }
            addWeight(change, to: owner)
            owner = parent
        }
    }

    /// Adds `change` to the weight of `node` among its siblings.
    mutating func addWeight(_ change: UInt32, to node: UInt32) {
        var chunk = nodes.pointer(at: Int(node)).pointee.leaf
        let leaf = chunks.writing(chunk)
        leaf.weights[leaf.index(of: node)] &+= change
        while let place = chunks.place(of: chunk) {
            chunks.writing(place.parent).weights[place.index] &+= change
            chunk = place.parent
        }
    }

    /// Updates the height of `owner` after a change of its children, then the heights above, as far
    /// as they change.
    mutating func updateHeight(of owner: UInt32) {
        var node = owner
        while true {
            let record = nodes.pointer(at: Int(node)).pointee
            let children = record.children
            let height = children == absent ? 1 : 1 + chunks.reading(children).height
            if height == record.height { return }
            nodes.writablePointer(at: Int(node)).pointee.height = height
            if record.parent == absent { return }
            if !changeHeight(in: record.leaf, from: record.height, to: height) { return }
            node = record.parent
        }
    }

    /// Updates a leaf, and the chunks above it, after one of its nodes changed its height. Returns
    /// whether the height of the whole sequence changed.
    private mutating func changeHeight(
        in leaf: UInt32, from old: UInt32, to new: UInt32
    ) -> Bool {
        var (chunk, old, new) = (leaf, old, new)
        while true {
            let view = chunks.writing(chunk)
            let before = view.height
            if new > before {
                view.height = new
            } else if old == before {
                view.height = greatestHeight(in: view)
            }
            if view.height == before { return false }
            guard let place = chunks.place(of: chunk) else { return true }
            (old, new) = (before, view.height)
            chunk = place.parent
        }
    }

    /// The greatest height in a chunk. The search stops at an entry with the chunk's recorded
    /// height, which is an upper bound. 0 if the chunk is empty.
    func greatestHeight(in view: Chunk) -> UInt32 {
        let bound = view.height
        var greatest: UInt32 = 0
        for index in 0..<view.count where greatest < bound {
            let id = view.ids[index]
            let height =
                view.isLeaf
                ? nodes.pointer(at: Int(id)).pointee.height : chunks.reading(id).height
            greatest = max(greatest, height)
        }
        return greatest
    }
}
