extension Forest {
    /// The index of a node among its siblings; 0 for the root. O(log siblings).
    func position(of node: NodeID) -> Int {
        if node == Self.root { return 0 }
        return Int(place(of: node.index).position)
    }

    /// The child of `node` at `position`, which must exist. O(log siblings).
    func child(of node: NodeID, at position: Int) -> NodeID {
        let (leaf, index) = entry(ofChild: position, of: node)
        return NodeID(index: chunks.reading(leaf).ids[index])
    }

    /// The leaf that lists child `position` of `node`, and the index in it. O(log siblings).
    func entry(ofChild position: Int, of node: NodeID) -> (leaf: UInt32, index: Int) {
        let record = record(node)
        precondition(position >= 0 && position < Int(record.pointee.childCount))
        countWork()
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
    /// that is not a row. O(log siblings) for each level above.
    func row(of node: NodeID) -> Int? {
        isRow(node) ? rowsBefore(node) : nil
    }

    /// The number of visible rows above the node; nil while an ancestor is collapsed. For a section
    /// it is the row of its first task. O(log siblings) for each level above.
    func rowsBefore(_ node: NodeID) -> Int? {
        placeAndRows(of: node).rowsBefore
    }

    /// The parent of a node other than the root, and the node's index among its siblings. O(log
    /// siblings).
    func placeInParent(of node: NodeID) -> (position: Int, parent: NodeID) {
        let place = place(of: node.index)
        return (Int(place.position), NodeID(index: place.owner))
    }

    /// Returns `position(of:)`, `rowsBefore(_:)` and the parent at the cost of one of them. The
    /// root's parent is the root. O(log siblings) for each level above.
    func placeAndRows(
        of node: NodeID
    ) -> (position: Int, rowsBefore: Int?, parent: NodeID) {
        if node == Self.root { return (0, 0, node) }
        let place = place(of: node.index)
        let (position, parent) = (Int(place.position), NodeID(index: place.owner))
        var rows = place.before
        var owner = place.owner
        while true {
            let record = nodes.pointer(at: Int(owner))
            if record.pointee.isCollapsed { return (position, nil, parent) }
            if owner == Self.root.index { return (position, Int(rows), parent) }
            let above = self.place(of: owner)
            rows &+= record.pointee.ownWeight &+ above.before
            owner = above.owner
        }
    }

    /// The node at row `row`, which must exist. O(log siblings) for each level above.
    func node(atRow row: Int) -> NodeID {
        location(atRow: row) { _ in }.node
    }

    /// The location of the node at row `row`, which must exist. Calls `body` with the locations of
    /// its ancestors below the root, the highest first. O(log siblings) for each level above.
    @inline(__always)
    func location(atRow row: Int, ancestor body: (NodeLocation) -> Void) -> NodeLocation {
        precondition(row >= 0 && row < rowCount, "no such row")
        var rank = UInt32(truncatingIfNeeded: row)
        var owner = Self.root.index
        while true {
            var leaf = nodes.pointer(at: Int(owner)).pointee.children
            var view = chunks.reading(leaf)
            var position: UInt32 = 0
            while !view.isLeaf {
                var index = 0
                while rank >= view.weights[index] {
                    rank &-= view.weights[index]
                    position &+= view.counts[index]
                    index &+= 1
                }
                leaf = view.ids[index]
                view = chunks.reading(leaf)
            }
            let index = Chunk.select(&rank, in: view.weights)
            let node = view.ids[index]
            let location = NodeLocation(
                node: NodeID(index: node), parent: NodeID(index: owner), leaf: leaf, index: index,
                position: Int(position) &+ index)
            let ownWeight = nodes.pointer(at: Int(node)).pointee.ownWeight
            if rank < ownWeight { return location }
            body(location)
            rank &-= ownWeight
            owner = node
        }
    }

    /// A node's index among its siblings, the number of rows of the siblings before it, and their
    /// parent.
    @inline(__always)
    private func place(of node: UInt32) -> (position: UInt32, before: UInt32, owner: UInt32) {
        countWork()
        var chunk = nodes.pointer(at: Int(node)).pointee.leaf
        var view = chunks.reading(chunk)
        var index = view.index(of: node)
        var (position, before): (UInt32, UInt32) = (0, 0)
        while true {
            position &+= view.siblings(before: index)
            before &+= view.weight(before: index)
            guard let place = chunks.place(of: chunk) else { return (position, before, view.owner) }
            (chunk, index) = (place.parent, place.index)
            view = chunks.reading(chunk)
        }
    }
}

/// A node's location, as found by a walk.
struct NodeLocation {
    let node: NodeID
    let parent: NodeID
    /// The leaf that lists the node, and the index in it.
    let leaf: UInt32
    let index: Int
    /// The index among the siblings.
    let position: Int
}
