import RandomRuns

@testable import ReorderEngine

/// A forest and its model, which get the same operations.
struct ForestPair {
    var forest: Forest
    var plain = PlainForest()
    private(set) var handles: [Int: NodeID] = [0: Forest.root]

    init(fanOut: Forest.FanOut) { forest = Forest(fanOut: fanOut) }

    func handle(_ name: Int) -> NodeID { handles[name] ?? Forest.root }

    /// One random operation; grows while there are fewer than `target` nodes.
    mutating func step(target: Int, using random: inout SeededGenerator) -> String? {
        let names = plain.names
        let name = names.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<100, using: &random) {
        case ..<(names.count < target ? 50 : 15): insert(into: name, using: &random)
        case ..<60: if name != 0 { move(name, using: &random) }
        case ..<80: collapse(name, random.chance(50))
        default: if name != 0, names.count > target / 2 { return remove(name) }
        }
        return nil
    }

    private func place(in parent: Int, using random: inout SeededGenerator) -> Int {
        let count = plain.node(parent).children.count
        // The ends are used more often, because growing there splits in another way.
        return random.chance(30)
            ? (random.chance(50) ? 0 : count) : Int.random(in: 0...count, using: &random)
    }

    private mutating func insert(into parent: Int, using random: inout SeededGenerator) {
        let position = place(in: parent, using: &random)
        let isRow = random.chance(90)
        let name = plain.insert(into: parent, at: position, isRow: isRow)
        let node = forest.insert(into: handle(parent), at: position, isRow: isRow)
        handles[name] = node
    }

    private mutating func move(_ name: Int, using random: inout SeededGenerator) {
        let parent = plain.node(name).parent ?? 0
        let other = random.chance(50) ? plain.names.randomElement(using: &random) ?? 0 : parent
        let target = plain.isInside(other, subtreeOf: name) ? parent : other
        let count = plain.node(target).children.count - (target == parent ? 1 : 0)
        let position = min(count, place(in: target, using: &random))
        plain.move(name, into: target, at: position)
        forest.move(handle(name), into: handle(target), at: position)
    }

    private mutating func collapse(_ name: Int, _ isCollapsed: Bool) {
        plain.setCollapsed(name, isCollapsed)
        forest.setCollapsed(handle(name), isCollapsed)
    }

    private mutating func remove(_ name: Int) -> String? {
        let top = handle(name)
        let gone = Set(plain.remove(name).compactMap { handles.removeValue(forKey: $0) })
        var freed: [NodeID] = []
        forest.remove(top) { freed.append($0) }
        return freed.count == gone.count && Set(freed) == gone ? nil : "other nodes were freed"
    }
}

extension ForestPair {
    /// The first query whose result differs from the model's; nil means none.
    func difference() -> String? {
        let rows = plain.rows
        if forest.rowCount != rows.count { return "row count" }
        for (row, name) in rows.enumerated() where forest.node(atRow: row) != handle(name) {
            return "node at row \(row)"
        }
        for start in [0, rows.count / 2, rows.count * 9 / 10] {
            let walked = Array(forest.rows(from: start))
            if walked.map(\.node) != rows[start...].map(handle) { return "rows from \(start)" }
            if let wrong = difference(walkingFrom: start) { return wrong }
        }
        let numbers = Dictionary(uniqueKeysWithValues: zip(rows, 0...))
        for name in plain.names {
            if let wrong = difference(at: name, row: numbers[name]) { return "\(name): \(wrong)" }
        }
        return Array(forest.preorder(of: Forest.root))
            == plain.preorder(of: 0).map(handle)
            ? nil : "preorder"
    }

    /// A walk's locations must equal lookups.
    private func difference(walkingFrom start: Int) -> String? {
        var walk = forest.rows(from: start)
        var known: [NodeID] = []
        while let location = walk.next() {
            let path = walk.path.map(\.node)
            if path.last != location.node { return "the end of a path" }
            for (depth, location) in walk.path.enumerated() where !known.contains(path[depth]) {
                let node = location.node
                let leaf = forest.record(node).pointee.leaf
                if forest.depth(of: node) != depth { return "the depth of a path" }
                if location.parent != forest.parent(of: node) { return "a row's parent" }
                if location.position != forest.position(of: node) { return "a row's position" }
                if location.leaf != leaf || location.index != forest.index(of: node, in: leaf) {
                    return "a row's leaf"
                }
            }
            known = path
        }
        return nil
    }

    private func difference(at name: Int, row: Int?) -> String? {
        let (node, handle) = (plain.node(name), handle(name))
        let parent = node.parent ?? 0
        let children = node.children.map(self.handle)
        let position = plain.node(parent).children.firstIndex(of: name) ?? 0
        if forest.parent(of: handle) != node.parent.map(self.handle) { return "parent" }
        if forest.position(of: handle) != position { return "position" }
        let place = forest.placeAndRows(of: handle)
        if place.position != position || place.parent != self.handle(parent) { return "place" }
        if forest.childCount(of: handle) != children.count { return "child count" }
        for (index, child) in children.enumerated()
        where forest.child(of: handle, at: index) != child {
            return "child \(index)"
        }
        if Array(forest.children(of: handle)) != children { return "children" }
        if Array(forest.children(of: handle, from: 1)) != Array(children.dropFirst()) {
            return "later children"
        }
        if forest.isCollapsed(handle) != node.isCollapsed { return "collapsed" }
        if forest.isRow(handle) != node.isRow { return "is a row" }
        if forest.row(of: handle) != row { return "row" }
        if forest.depth(of: handle) != plain.depth(of: name) { return "depth" }
        if forest.height(of: handle) != plain.height(of: name) { return "height" }
        let (shown, expanded) = (
            plain.rows(beneath: name, expanding: false), plain.rows(beneath: name, expanding: true)
        )
        if forest.visibleDescendants(of: handle) != shown.count { return "visible descendants" }
        if forest.expandedDescendants(of: handle) != expanded.count { return "descendants" }
        if Array(forest.preorder(of: handle))
            != plain.preorder(of: name).map(self.handle)
        {
            return "preorder"
        }
        return nil
    }
}

extension Forest {
    fileprivate func index(of node: NodeID, in leaf: UInt32) -> Int {
        chunks.reading(leaf).index(of: node.index)
    }
}
