/// An ordered tree of nodes, identified by handles, with the number of visible rows at every level.
///
/// Each sibling sequence is a B+-tree of `Chunk`s with the number of siblings and rows below each
/// entry. So an operation costs O(log n) for each level above the node, where n is the number of
/// siblings. The size of moved subtrees and the number of hidden nodes do not matter. No function
/// is recursive, so deep trees need no deep stack.
///
/// It is a value: a copy costs O(1) and does not change when the original does (see `PagedMemory`).
struct Forest: Sendable {
    var nodes = PagedArray<NodeRecord>()
    var chunks: ChunkStore
    /// The first free record, or `absent`.
    var freeNode = absent
    /// The number of nodes in use, including the root.
    var nodeCount = 0
    #if DEBUG && os(Linux)
        let work = WorkCount()
    #endif

    /// The maximum size class of a forest's chunks.
    struct FanOut: Sendable {
        let sizeClass: Int

        static var wide: FanOut { FanOut(sizeClass: 3) }
        /// Nine entries per chunk: makes deep trees of few nodes, so that tests reach every kind of
        /// split and merge.
        static var narrow: FanOut { FanOut(sizeClass: 1) }
    }

    /// Creates a forest that contains only the root.
    init(fanOut: FanOut = .wide) {
        chunks = ChunkStore(regularClass: fanOut.sizeClass)
        let root = makeNode(isRow: false)
        assert(NodeID(index: root) == Self.root)
    }

    /// The node above all others: depth −1, not a row.
    static let root = NodeID(index: 0)

    /// The number of visible rows. O(1).
    var rowCount: Int { visibleDescendants(of: Self.root) }

    /// Bytes of memory. O(1).
    var byteCount: Int { nodes.byteCount + chunks.byteCount }

    /// The parent; nil for the root. O(1).
    func parent(of node: NodeID) -> NodeID? {
        let parent = record(node).pointee.parent
        return parent == absent ? nil : NodeID(index: parent)
    }

    /// The number of a node's children. O(1).
    func childCount(of node: NodeID) -> Int { Int(record(node).pointee.childCount) }

    /// Whether the node hides its subtree. O(1).
    func isCollapsed(_ node: NodeID) -> Bool { record(node).pointee.isCollapsed }

    /// Whether the node is a row itself, as tasks are and sections are not. O(1).
    func isRow(_ node: NodeID) -> Bool { record(node).pointee.isRow }

    /// The number of rows below the node that are visible if the node itself is visible; 0 if it is
    /// collapsed. O(1).
    func visibleDescendants(of node: NodeID) -> Int {
        Int(record(node).pointee.visibleDescendants)
    }

    /// The number of rows below the node that are visible when it is expanded. O(1).
    func expandedDescendants(of node: NodeID) -> Int { Int(record(node).pointee.expanded) }

    /// The number of levels of the node's subtree: 1 for a leaf. O(1).
    func height(of node: NodeID) -> Int { Int(record(node).pointee.height) }

    /// The number of ancestors less one: −1 for the root, 0 for its children. O(depth).
    func depth(of node: NodeID) -> Int {
        var depth = -1
        var parent = record(node).pointee.parent
        while parent != absent {
            depth += 1
            parent = nodes.pointer(at: Int(parent)).pointee.parent
        }
        return depth
    }

    /// Whether `node` is `ancestor` or one of its descendants. O(depth).
    func isInside(_ node: NodeID, subtreeOf ancestor: NodeID) -> Bool {
        var current = node.index
        while current != absent {
            if current == ancestor.index { return true }
            current = nodes.pointer(at: Int(current)).pointee.parent
        }
        return false
    }

    @inline(__always)
    func record(_ node: NodeID) -> UnsafePointer<NodeRecord> {
        let record = nodes.pointer(at: Int(node.index))
        assert(!record.pointee.isFree, "the handle of a removed node")
        return record
    }

    mutating func makeNode(isRow: Bool) -> UInt32 {
        nodeCount += 1
        guard freeNode != absent else {
            nodes.append(repeating: NodeRecord(isRow: isRow))
            return UInt32(nodes.count - 1)
        }
        let node = freeNode
        freeNode = nodes[Int(node)].parent
        nodes[Int(node)] = NodeRecord(isRow: isRow)
        return node
    }

    mutating func freeNode(_ node: UInt32) {
        nodes.writablePointer(at: Int(node)).pointee.free(next: freeNode)
        freeNode = node
        nodeCount -= 1
    }
}
