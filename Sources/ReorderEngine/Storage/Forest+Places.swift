extension Forest {
    /// The index of a node among its siblings; 0 for the root. O(log siblings).
    func position(of node: NodeID) -> Int {
        if node == Self.root { return 0 }
        return Int(place(of: node.index, at: seat(of: node)).position)
    }

    /// Whether this is the seat of the node. O(1).
    func lists(_ node: NodeID, at seat: Seat) -> Bool {
        let leaf = chunks.reading(seat.leaf)
        let index = chunks.index(of: node.index, at: seat, in: leaf)
        return self.seat(of: node) == seat && leaf.ids[index] == node.index
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
        countWork()
        var rank = UInt32(truncatingIfNeeded: position)
        var chunk = record.pointee.children
        var view = chunks.reading(chunk)
        while !view.isLeaf {
            chunk = view.ids[Chunk.select(&rank, in: view.counts)]
            view = chunks.readingRegular(chunk)
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
    func rowsBefore(_ node: NodeID, at seat: Seat? = nil) -> Int? {
        placeAndRows(of: node, at: seat).rowsBefore
    }

    /// The index of a node that is not the root among its siblings, and the parent.
    /// O(log siblings).
    func placeInParent(
        of node: NodeID, at seat: Seat
    ) -> (position: Int, parent: NodeID) {
        let place = place(of: node.index, at: seat)
        return (Int(place.position), NodeID(index: place.owner))
    }

    /// `position(of:)` and `rowsBefore(_:)` at the price of one of them, and the parent (of the
    /// root itself). Inlined, so that whoever asks for the rows only counts nothing else.
    @inline(__always)
    func placeAndRows(
        of node: NodeID, at seat: Seat? = nil
    ) -> (position: Int, rowsBefore: Int?, parent: NodeID) {
        if node == Self.root { return (0, 0, node) }
        let place = place(of: node.index, at: seat ?? self.seat(of: node))
        let (position, parent) = (Int(place.position), NodeID(index: place.owner))
        var rows = place.before
        var owner = place.owner
        while true {
            let record = nodes.pointer(at: Int(owner))
            if record.pointee.isCollapsed { return (position, nil, parent) }
            if owner == Self.root.index { return (position, Int(rows), parent) }
            let above = self.place(of: owner, at: record.pointee.seat)
            rows &+= record.pointee.ownWeight &+ above.before
            owner = above.owner
        }
    }

    /// The node at row `row`, which must exist. O(log siblings) for each level above.
    func node(atRow row: Int) -> NodeID {
        standing(atRow: row) { _ in }.node
    }

    /// The node at row `row`, which must exist, and where it stands; tells `body` the places of its
    /// ancestors below the root first, the highest first. O(log siblings) for each level above.
    @inline(__always)
    func standing(atRow row: Int, ancestor body: (Standing) -> Void) -> Standing {
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
                view = chunks.readingRegular(leaf)
            }
            let index = view.selectRow(&rank)
            let node = view.ids[index]
            let standing = Standing(
                node: NodeID(index: node), parent: NodeID(index: owner), mark: view.marks[index],
                leaf: leaf, index: index, position: Int(position) &+ index)
            let ownWeight = nodes.pointer(at: Int(node)).pointee.ownWeight
            if rank < ownWeight { return standing }
            body(standing)
            rank &-= ownWeight
            owner = node
        }
    }

    /// A node's index among its siblings, the rows of those before it, and the node that they are
    /// the children of.
    @inline(__always)
    private func place(
        of node: UInt32, at seat: Seat
    ) -> (position: UInt32, before: UInt32, owner: UInt32) {
        countWork()
        guard var place = chunks.place(of: seat.leaf) else {
            let view = chunks.reading(seat.leaf)
            let index = chunks.index(of: node, at: seat, in: view)
            return (UInt32(index), view.weight(before: index), view.owner)
        }
        // Where nodes are a row each, the labels tell all that is asked of the leaf. Nor does the way
        // up wait for them.
        let labels = chunks.labels(of: seat.leaf)
        let index = labels.index(of: seat.label)
        var position = UInt32(truncatingIfNeeded: index)
        var before =
            labels.hasWeights
            ? Chunk.sum(chunks.readingRegular(seat.leaf).weights, upTo: index) : position
        while true {
            let view = chunks.readingRegular(place.parent)
            position &+= view.sum(view.counts, before: place.index)
            before &+= view.sum(view.weights, before: place.index)
            guard let next = chunks.place(of: place.parent) else {
                return (position, before, view.owner)
            }
            place = next
        }
    }
}

/// Where a node stands, as a walk has come to it.
struct Standing {
    let node: NodeID
    let parent: NodeID
    /// The mark of the node.
    let mark: UInt32
    /// The leaf that lists the node, and where in it.
    let leaf: UInt32
    let index: Int
    /// The index among the siblings.
    let position: Int
}
