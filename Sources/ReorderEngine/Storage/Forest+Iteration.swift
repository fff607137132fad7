extension Forest {
    /// The node, then its subtree in order, each node before its children, with the hidden ones.
    /// O(log siblings) to start, O(1) amortized a node.
    func preorder(of node: NodeID) -> Preorder {
        Preorder(forest: self, top: node)
    }

    /// The visible rows from row `row` on. O(log siblings) for each level to start, O(1) amortized
    /// a row.
    func rows(from row: Int = 0) -> Rows {
        Rows(forest: self, row: row)
    }

    /// The children of `node` from `position` on. O(log siblings) to start, O(1) amortized a
    /// child.
    func children(of node: NodeID, from position: Int = 0) -> Children {
        let first =
            position < childCount(of: node) ? entry(ofChild: position, of: node) : nil
        return Children(forest: self, upcoming: first.map(Place.init))
    }

    /// A leaf, and an index in it.
    struct Place {
        var leaf: UInt32
        var index: Int
    }

    struct Children: Sequence, IteratorProtocol {
        fileprivate let forest: Forest
        fileprivate var upcoming: Place?

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
        /// The node given last; nil while that is the top.
        private var place: Place?

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
            place = forest.placeAfter(place, beneath: top) { $0.children != absent }
            guard let place else {
                isAtEnd = true
                return nil
            }
            return forest.node(at: place)
        }
    }

    /// The visible rows in order, each with its place. The walk counts positions instead of looking
    /// each of them up.
    struct Rows: Sequence, IteratorProtocol {
        private let forest: Forest
        private var row: Int
        /// The standing given last and those of its ancestors, the section's first.
        private(set) var path: [Standing] = []

        fileprivate init(forest: Forest, row: Int) {
            self.forest = forest
            self.row = row
        }

        mutating func next() -> Standing? {
            guard row < forest.rowCount else { return nil }
            if !advance() {
                // The start, or a section: the tree finds the row in O(log siblings),
                // however many empty sections stand in between.
                path.removeAll(keepingCapacity: true)
                let standing = forest.standing(atRow: row) { path.append($0) }
                path.append(standing)
            }
            row += 1
            return path.last
        }

        /// Goes to the next node; false where that is no row, or there is none: the row has to be
        /// looked for from above.
        private mutating func advance() -> Bool {
            guard let last = path.last else { return false }
            let record = forest.record(last.node).pointee
            if record.visibleDescendants > 0 {
                let first = forest.firstPlace(in: record.children)
                return enter(forest.standing(at: first, position: 0, in: last.node))
            }
            while let last = path.popLast() {
                let place = Place(leaf: last.leaf, index: last.index)
                guard let next = forest.following(place) else { continue }
                return enter(
                    forest.standing(at: next, position: last.position + 1, in: last.parent))
            }
            return false
        }

        private mutating func enter(_ standing: Standing) -> Bool {
            path.append(standing)
            return forest.isRow(standing.node)
        }
    }

    fileprivate func standing(at place: Place, position: Int, in parent: NodeID) -> Standing {
        Standing(
            node: node(at: place), parent: parent,
            leaf: place.leaf, index: place.index, position: position)
    }

    fileprivate func node(at place: Place) -> NodeID {
        NodeID(index: chunks.reading(place.leaf).ids[place.index])
    }

    fileprivate func place(ofNode node: NodeID) -> Place {
        let leaf = record(node).pointee.leaf
        return Place(leaf: leaf, index: chunks.reading(leaf).index(of: node.index))
    }

    /// The place after `place` in preorder, without leaving the subtree of `top`; nil for `place`
    /// is the top's own. `entering` tells whose children count.
    fileprivate func placeAfter(
        _ place: Place?, beneath top: NodeID, entering: (NodeRecord) -> Bool
    ) -> Place? {
        var node = top
        if let place { node = self.node(at: place) }
        let record = record(node).pointee
        if entering(record) { return firstPlace(in: record.children) }
        var current = place
        while node != top, let last = current {
            if let next = following(last) { return next }
            node = NodeID(index: self.record(node).pointee.parent)
            current = node == top ? nil : self.place(ofNode: node)
        }
        return nil
    }

    /// The place of the next sibling.
    fileprivate func following(_ place: Place) -> Place? {
        countWork()
        var view = chunks.reading(place.leaf)
        if place.index + 1 < view.count { return Place(leaf: place.leaf, index: place.index + 1) }
        var chunk = place.leaf
        while let place = chunks.place(of: chunk) {
            view = chunks.reading(place.parent)
            let next = place.index + 1
            if next < view.count { return firstPlace(in: view.ids[next]) }
            chunk = place.parent
        }
        return nil
    }

    fileprivate func firstPlace(in chunk: UInt32) -> Place {
        var chunk = chunk
        while !chunks.reading(chunk).isLeaf { chunk = chunks.reading(chunk).ids[0] }
        return Place(leaf: chunk, index: 0)
    }
}
