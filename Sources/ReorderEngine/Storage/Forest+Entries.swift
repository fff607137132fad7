extension Forest {
    /// Inserts `node` among the `siblings` other children of `owner`, without updating the records
    /// of `owner` and its ancestors.
    mutating func insertEntry(
        _ node: UInt32, into owner: UInt32, at position: Int, among siblings: Int
    ) {
        let record = nodes.pointer(at: Int(node)).pointee
        precondition(position >= 0 && position <= siblings, "the position is past the end")
        let split: Split = position == siblings ? .last : position == 0 ? .first : .middle
        var chunk = rootWithRoom(of: owner)
        var rank = UInt32(truncatingIfNeeded: position)
        var view = chunks.writing(chunk)
        while !view.isLeaf {
            var index = 0
            while rank > view.counts[index] {
                rank &-= view.counts[index]
                index &+= 1
            }
            if chunks.reading(view.ids[index]).isFull {
                self.split(index, of: chunk, split)
                view = chunks.writing(chunk)
                if rank > view.counts[index] {
                    rank &-= view.counts[index]
                    index &+= 1
                }
            }
            view.counts[index] &+= 1
            view.weights[index] &+= record.weight
            view.height = max(view.height, record.height)
            chunk = view.ids[index]
            view = chunks.writing(chunk)
        }
        let index = Int(rank)
        view.insert(node, weight: record.weight, at: index)
        view.height = max(view.height, record.height)
        let entry = nodes.writablePointer(at: Int(node))
        entry.pointee.parent = owner
        entry.pointee.leaf = chunk
    }

    /// Removes `node` from its siblings, without updating the records of its parent and the levels
    /// above.
    mutating func removeEntry(_ node: UInt32) {
        let record = nodes.pointer(at: Int(node)).pointee
        let (weight, owner) = (record.weight, record.parent)
        var chunk = record.leaf
        var view = chunks.writing(chunk)
        view.removeEntries(at: view.index(of: node))
        var heightBefore = view.height
        // A height of 1 stays while any entry is left.
        if record.height == heightBefore, record.height > 1 || view.count == 0 {
            view.height = greatestHeight(in: view)
        }
        while let place = chunks.place(of: chunk) {
            let (parent, index) = (place.parent, place.index)
            let above = chunks.writing(parent)
            above.counts[index] &-= 1
            above.weights[index] &-= weight
            let aboveBefore = above.height
            if view.height < heightBefore, heightBefore == aboveBefore {
                above.height = greatestHeight(in: above)
            }
            if view.isSparse { rebalance(index, of: parent) }
            (heightBefore, chunk, view) = (aboveBefore, parent, above)
        }
        lowerRoot(chunk, of: owner)
    }
}
