@testable import ReorderEngine

/// The model: nested arrays, walked for every query.
struct PlainForest {
    struct Node {
        var parent: Int?
        var children: [Int] = []
        var isRow: Bool
        var isCollapsed = false
    }

    private(set) var nodes: [Int: Node] = [0: Node(parent: nil, isRow: false)]
    private var nextName = 1

    func node(_ name: Int) -> Node { nodes[name] ?? Node(parent: nil, isRow: false) }
    /// All nodes, oldest first.
    private(set) var names = [0]

    mutating func insert(into parent: Int, at position: Int, isRow: Bool) -> Int {
        let name = nextName
        nextName += 1
        names.append(name)
        nodes[name] = Node(parent: parent, isRow: isRow)
        nodes[parent]?.children.insert(name, at: position)
        return name
    }

    mutating func move(_ name: Int, into parent: Int, at position: Int) {
        take(name)
        nodes[name]?.parent = parent
        nodes[parent]?.children.insert(name, at: position)
    }

    mutating func remove(_ name: Int) -> [Int] {
        let subtree = preorder(of: name)
        take(name)
        for gone in subtree { nodes[gone] = nil }
        names.removeAll { nodes[$0] == nil }
        return subtree
    }

    mutating func setCollapsed(_ name: Int, _ isCollapsed: Bool) {
        nodes[name]?.isCollapsed = isCollapsed
    }

    private mutating func take(_ name: Int) {
        guard let parent = node(name).parent else { return }
        nodes[parent]?.children.removeAll { $0 == name }
    }

    /// The node, then its descendants.
    func preorder(of name: Int) -> [Int] {
        [name] + node(name).children.flatMap(preorder)
    }

    /// Visible rows, in order.
    var rows: [Int] { rows(beneath: 0, expanding: false) }

    func rows(beneath name: Int, expanding: Bool) -> [Int] {
        if node(name).isCollapsed, !expanding { return [] }
        return node(name).children.flatMap {
            (node($0).isRow ? [$0] : []) + rows(beneath: $0, expanding: false)
        }
    }

    func height(of name: Int) -> Int { 1 + (node(name).children.map(height).max() ?? 0) }

    func depth(of name: Int) -> Int { node(name).parent.map { depth(of: $0) + 1 } ?? -1 }

    func isInside(_ name: Int, subtreeOf ancestor: Int) -> Bool {
        name == ancestor || node(name).parent.map { isInside($0, subtreeOf: ancestor) } ?? false
    }
}
