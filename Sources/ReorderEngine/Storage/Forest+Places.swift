extension Forest {
    /// The index of a node among its siblings; 0 for the root. O(log siblings).
    func position(of node: NodeID) -> Int {
        Int(place(of: node.index).position)
    }

    /// The child of `node` at `position`, which must exist. O(log siblings).
    func child(of node: NodeID, at position: Int) -> NodeID {
        let (leaf, index) = entry(ofChild: position, of: node)
        return NodeID(index: chunks.reading(leaf).ids[index])
    }

    /// The leaf that lists child `position` of `node`, and where in it. O(log siblings).
    func entry(ofChild position: Int, of node: NodeID) -> (leaf: UInt32, index: Int) {
        let record = record(node)
        precondition(position >= 0 && position < Int(record.pointee.childCount))
        var rank = UInt32(truncatingIfNeeded: position)
        var chunk = record.pointee.children
        var view = chunks.reading(chunk)
        while !view.isLeaf {
            chunk = view.ids[Chunk.select(&rank, in: view.counts)]
            view = chunks.reading(chunk)
        }
        return (chunk, Int(rank))
    }

    /// The node's index among the visible rows; nil while an ancestor is collapsed, and for a node
    /// that is no row. O(log siblings) for each level above.
    func row(of node: NodeID) -> Int? {
        isRow(node) ? rowsBefore(node) : nil
    }

    /// How many visible rows stand above the node; nil while an ancestor is collapsed. Of a
    /// section it is the row its first task has. O(log siblings) for each level above.
    func rowsBefore(_ node: NodeID) -> Int? {
        placeAndRows(of: node).rowsBefore
    }

    /// `position(of:)` and `rowsBefore(_:)` at the price of one of them.
    func placeAndRows(of node: NodeID) -> (position: Int, rowsBefore: Int?) {
        if node == Self.root { return (0, 0) }
        let (position, before) = place(of: node.index)
        var rows = before
        var owner = record(node).pointee.parent
        while true {
            let record = nodes.pointer(at: Int(owner))
            if record.pointee.isCollapsed { return (Int(position), nil) }
            if record.pointee.parent == absent { return (Int(position), Int(rows)) }
            rows &+= record.pointee.ownWeight &+ place(of: owner).before
            owner = record.pointee.parent
        }
    }

    /// The node at row `row`, which must exist. O(log siblings) for each level above.
    func node(atRow row: Int) -> NodeID {
        precondition(row >= 0 && row < rowCount, "no such row")
        var rank = UInt32(truncatingIfNeeded: row)
        var node = Self.root.index
        while true {
            var view = chunks.reading(nodes.pointer(at: Int(node)).pointee.children)
            while !view.isLeaf {
                view = chunks.reading(view.ids[Chunk.select(&rank, in: view.weights)])
            }
            node = view.ids[Chunk.select(&rank, in: view.weights)]
            let ownWeight = nodes.pointer(at: Int(node)).pointee.ownWeight
            if rank < ownWeight { return NodeID(index: node) }
            rank &-= ownWeight
        }
    }

    /// A node's index among its siblings, and the rows of those before it.
    private func place(of node: UInt32) -> (position: UInt32, before: UInt32) {
        var chunk = nodes.pointer(at: Int(node)).pointee.leaf
        if chunk == absent { return (0, 0) }
        var view = chunks.reading(chunk)
        var index = view.index(of: node)
        var position = UInt32(index)
        var before = Chunk.sum(view.weights, upTo: index)
        while !view.isRoot {
            let id = chunk
            chunk = view.up
            view = chunks.reading(chunk)
            index = view.index(of: id)
            position &+= Chunk.sum(view.counts, upTo: index)
            before &+= Chunk.sum(view.weights, upTo: index)
        }
        return (position, before)
    }
}
