struct NodeID: Hashable, Sendable { var index: UInt32 }

struct Forest: Sendable {
    struct Node: Sendable {
        var parent: NodeID?
        var children: [NodeID] = []
        var collapsed = false
        var isRow = true
    }
    var nodes: [Node] = [Node(parent: nil, isRow: false)]
    var free: [UInt32] = []
    static let root = NodeID(index: 0)
    init() {}
    subscript(_ n: NodeID) -> Node {
        get { nodes[Int(n.index)] }
        _modify { yield &nodes[Int(n.index)] }
    }
    var rowCount: Int { visibleDescendants(of: Self.root) }
    mutating func insert(into parent: NodeID, at position: Int, isRow: Bool = true) -> NodeID {
        let id: NodeID
        if let f = free.popLast() {
            id = NodeID(index: f)
            self[id] = Node(parent: parent, isRow: isRow)
        } else {
            id = NodeID(index: UInt32(nodes.count))
            nodes.append(Node(parent: parent, isRow: isRow))
        }
        self[parent].children.insert(id, at: position)
        return id
    }
    mutating func move(_ node: NodeID, into parent: NodeID, at position: Int) {
        guard let old = self[node].parent else { return }
        self[old].children.remove(at: self.position(of: node))
        self[parent].children.insert(node, at: position)
        self[node].parent = parent
    }
    mutating func remove(_ node: NodeID, freeing: (NodeID) -> Void) {
        guard let old = self[node].parent else { return }
        let all = Array(preorder(of: node))
        self[old].children.remove(at: position(of: node))
        for n in all {
            freeing(n)
            self[n] = Node(parent: nil)
            free.append(n.index)
        }
    }
    func parent(of n: NodeID) -> NodeID? { self[n].parent }
    func position(of n: NodeID) -> Int {
        guard let p = self[n].parent else { return 0 }
        return self[p].children.firstIndex(of: n) ?? 0
    }
    func child(of n: NodeID, at i: Int) -> NodeID { self[n].children[i] }
    func childCount(of n: NodeID) -> Int { self[n].children.count }
    func isCollapsed(_ n: NodeID) -> Bool { self[n].collapsed }
    mutating func setCollapsed(_ n: NodeID, _ c: Bool) { self[n].collapsed = c }
    func visibleDescendants(of n: NodeID) -> Int {
        self[n].collapsed ? 0 : expandedDescendants(of: n)
    }
    func expandedDescendants(of n: NodeID) -> Int {
        self[n].children.reduce(0) { $0 + (self[$1].isRow ? 1 : 0) + visibleDescendants(of: $1) }
    }
    func row(of n: NodeID) -> Int? {
        var row = 0
        var n = n
        while let p = self[n].parent {
            if self[p].collapsed { return nil }
            for c in self[p].children {
                if c == n { break }
                row += (self[c].isRow ? 1 : 0) + visibleDescendants(of: c)
            }
            if self[p].isRow { row += 1 }
            n = p
        }
        return row
    }
    func node(atRow row: Int) -> NodeID {
        var left = row
        var n = Self.root
        outer: while true {
            for c in self[n].children {
                let weight = (self[c].isRow ? 1 : 0) + visibleDescendants(of: c)
                if left < weight {
                    if self[c].isRow {
                        if left == 0 { return c }
                        left -= 1
                    }
                    n = c
                    continue outer
                }
                left -= weight
            }
            return n
        }
    }
    func depth(of n: NodeID) -> Int {
        var d = -1
        var n = n
        while let p = self[n].parent { d += 1; n = p }
        return d
    }
    func height(of n: NodeID) -> Int { 1 + (self[n].children.map { height(of: $0) }.max() ?? 0) }
    func preorder(of n: NodeID) -> [NodeID] {
        var out: [NodeID] = []
        var stack = [n]
        while let x = stack.popLast() {
            out.append(x)
            stack.append(contentsOf: self[x].children.reversed())
        }
        return out
    }
    func rows(from row: Int) -> some Sequence<NodeID> {
        (min(row, rowCount)..<rowCount).lazy.map { node(atRow: $0) }
    }
    func children(of n: NodeID) -> [NodeID] { self[n].children }
    func checkInvariants() -> String? { nil }
}
