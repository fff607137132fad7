extension Forest {
    /// The node, then its subtree in order, each node before its children, including hidden ones.
    /// O(log siblings) to start, O(1) amortized for each node.
    func preorder(of node: NodeID) -> Preorder {
        Preorder(forest: self, top: node)
    }

    /// The visible rows from row `row` on. O(log siblings) for each level to start, O(1) amortized
    /// for each row.
    func rows(from row: Int = 0) -> Rows {
        Rows(forest: self, row: row)
    }

    /// The children of `node` from `position` on. O(log siblings) to start, O(1) amortized for each
    /// child.
    func children(of node: NodeID, from position: Int = 0) -> Children {
        let first =
            position < childCount(of: node) ? entry(ofChild: position, of: node) : nil
        return Children(forest: self, upcoming: first.map(LeafSlot.init))
    }

    /// The node after `node` in preorder, within the subtree of `top`; nil at its end. O(log siblings).
    ///
    /// - Parameter entering: whether the node's children, if it has any, come next.
    func node(after node: NodeID, beneath top: NodeID, entering: Bool) -> NodeID? {
        let place = node == top ? nil : slot(ofNode: node)
        return slotAfter(place, beneath: top) { entering && $0.children != absent }
            .map { self.node(at: $0) }
    }

    /// A leaf and an index in it.
    struct LeafSlot {
        var leaf: UInt32
        var index: Int
    }

    struct Children: Sequence, IteratorProtocol {
        fileprivate let forest: Forest
        fileprivate var upcoming: LeafSlot?

        mutating func next() -> NodeID? {
            guard let place = upcoming else { return nil }
            upcoming = forest.following(place)
            return forest.node(at: place)
        }
    }

    struct Preorder: Sequence, IteratorProtocol {
        private let forest: Forest
        private let top: NodeID
        private var isAtStart = true
        private var isAtEnd = false
        /// The slot of the last node; nil while the last node is `top`.
        private var place: LeafSlot?

        fileprivate init(forest: Forest, top: NodeID) {
            self.forest = forest
            self.top = top
        }

        mutating func next() -> NodeID? {
            if isAtStart {
                isAtStart = false
                return top
            }
            if isAtEnd { return nil }
            place = forest.slotAfter(place, beneath: top) { $0.children != absent }
            guard let place else {
                isAtEnd = true
                return nil
            }
            return forest.node(at: place)
        }
    }

    /// The visible rows in order, each with its location. The walk counts positions instead of
    /// looking them up.
    struct Rows: Sequence, IteratorProtocol {
        private let forest: Forest
        private var row: Int
        /// The path to the last node: the locations of its ancestors, beginning with the section,
        /// then its own.
        private(set) var path: [NodeLocation] = []

        fileprivate init(forest: Forest, row: Int) {
            self.forest = forest
            self.row = row
        }

        mutating func next() -> NodeLocation? {
            guard row < forest.rowCount else { return nil }
            if !advance() {
                // At the start, and at the end of a section, the row is looked up from the root in
                // O(log siblings), regardless of empty sections in between.
                path.removeAll(keepingCapacity: true)
                let location = forest.location(atRow: row) { path.append($0) }
                path.append(location)
            }
            row += 1
            return path.last
        }

        /// Advances to the next node. Returns false if that node is not a row, or does not exist;
        /// the row must then be looked up from the root.
        private mutating func advance() -> Bool {
            guard let last = path.last else { return false }
            let record = forest.record(last.node).pointee
            if record.visibleDescendants > 0 {
                let first = forest.firstSlot(in: record.children)
                return enter(forest.location(at: first, position: 0, in: last.node))
            }
            while let last = path.popLast() {
                let place = LeafSlot(leaf: last.leaf, index: last.index)
                guard let next = forest.following(place) else { continue }
                return enter(
                    forest.location(at: next, position: last.position + 1, in: last.parent))
            }
            return false
        }

        private mutating func enter(_ location: NodeLocation) -> Bool {
            path.append(location)
            return forest.isRow(location.node)
        }
    }

    fileprivate func location(at place: LeafSlot, position: Int, in parent: NodeID) -> NodeLocation
    {
        NodeLocation(
            node: node(at: place), parent: parent,
            leaf: place.leaf, index: place.index, position: position)
    }

    fileprivate func node(at place: LeafSlot) -> NodeID {
        NodeID(index: chunks.reading(place.leaf).ids[place.index])
    }

    fileprivate func slot(ofNode node: NodeID) -> LeafSlot {
        let leaf = record(node).pointee.leaf
        return LeafSlot(leaf: leaf, index: chunks.reading(leaf).index(of: node.index))
    }

    /// The slot after `place` in preorder, within the subtree of `top`. If `place` is nil, the slot
    /// after `top` itself. `entering` decides whether a node's children are visited.
    fileprivate func slotAfter(
        _ place: LeafSlot?, beneath top: NodeID, entering: (NodeRecord) -> Bool
    ) -> LeafSlot? {
        var node = top
        if let place { node = self.node(at: place) }
        let record = record(node).pointee
        if entering(record) { return firstSlot(in: record.children) }
        var current = place
        while node != top, let last = current {
            if let next = following(last) { return next }
            node = NodeID(index: self.record(node).pointee.parent)
            current = node == top ? nil : self.slot(ofNode: node)
        }
        return nil
    }

    /// The slot of the next sibling.
    fileprivate func following(_ place: LeafSlot) -> LeafSlot? {
        countWork()
        var view = chunks.reading(place.leaf)
        if place.index + 1 < view.count {
            return LeafSlot(leaf: place.leaf, index: place.index + 1)
        }
        var chunk = place.leaf
        while let place = chunks.place(of: chunk) {
            view = chunks.reading(place.parent)
            let next = place.index + 1
            if next < view.count { return firstSlot(in: view.ids[next]) }
            chunk = place.parent
        }
        return nil
    }

    fileprivate func firstSlot(in chunk: UInt32) -> LeafSlot {
        var chunk = chunk
        while !chunks.reading(chunk).isLeaf { chunk = chunks.reading(chunk).ids[0] }
        return LeafSlot(leaf: chunk, index: 0)
    }
}
