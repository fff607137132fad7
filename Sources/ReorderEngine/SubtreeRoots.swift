/// The roots of a move: the named tasks without a named ancestor.
///
/// The most common case is one task, which needs no allocation here.
enum SubtreeRoots: RandomAccessCollection, Sendable {
    case none
    case one(NodeID, parent: NodeID, position: Int)
    case several([NodeID], Set<NodeID>)

    init(of named: [NodeID], in forest: Forest) {
        let all = Set(named)
        let nodes = named.filter { node in
            var ancestor = forest.parent(of: node)
            while let current = ancestor {
                if all.contains(current) { return false }
                ancestor = forest.parent(of: current)
            }
            return true
        }
        self = .several(nodes, Set(nodes))
    }

    var startIndex: Int { 0 }

    var endIndex: Int {
        switch self {
        case .none: 0
        case .one: 1
        case .several(let nodes, _): nodes.count
        }
    }

    subscript(index: Int) -> NodeID {
        switch self {
        case .none: preconditionFailure("index out of range")
        case .one(let node, _, _): node
        case .several(let nodes, _): nodes[index]
        }
    }

    /// Whether a node is one of the roots. O(1).
    func contains(_ node: NodeID) -> Bool {
        switch self {
        case .none: false
        case .one(let root, _, _): root == node
        case .several(_, let set): set.contains(node)
        }
    }

    /// Whether a node is one of the roots or below one. O(depth).
    func carry(_ node: NodeID, in forest: Forest) -> Bool {
        var node: NodeID? = node
        while let current = node {
            if contains(current) { return true }
            node = forest.parent(of: current)
        }
        return false
    }

    /// The first of the roots with the lowest level; nil if there are no roots. It decides about the
    /// level of a block, so that no task goes deeper because of another one. O(depth) for each root.
    func outermost(in list: ReorderableList) -> NodeID? {
        guard count > 1 else { return first }
        return map { (node: $0, depth: list.depth(of: $0)) }.min { $0.depth < $1.depth }?.node
    }

    /// The number of roots that are children of `parent`, before `position` if given.
    func count(leaving parent: NodeID, before position: Int? = nil, in forest: Forest) -> Int {
        if case .one(_, let ownParent, let ownPosition) = self {
            return ownParent == parent && ownPosition < position ?? .max ? 1 : 0
        }
        var count = 0
        for root in self where forest.parent(of: root) == parent {
            if let position, forest.position(of: root) >= position { continue }
            count += 1
        }
        return count
    }
}
