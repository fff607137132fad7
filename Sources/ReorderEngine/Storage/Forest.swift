/// An ordered tree of nodes by handle, with the number of visible rows kept everywhere.
///
/// Each sibling sequence is a B+-tree of its own, made of `Chunk`s that know how many siblings and
/// how many rows are in each entry's subtree. So position, row, insertion and removal cost O(log n) in
/// the number of siblings, times the depth where rows are concerned, whatever the size of the
/// subtree that moves or of what is hidden. Nothing recurses: depth costs time, never stack.
///
/// A value: a copy costs O(1) and never changes when the original does (see `PagedMemory`).
struct Forest: Sendable {
    var nodes = PagedArray<NodeRecord>()
    var chunks: ChunkStore
    /// The first free record, or `absent`.
    var freeNode = absent
    /// Nodes in use, the root included.
    var nodeCount = 0
    #if DEBUG
        let work = WorkCount()
    #endif

    /// The size class that chunks of a forest grow to.
    struct FanOut: Sendable {
        let sizeClass: Int

        static var wide: FanOut { FanOut(sizeClass: 3) }
        /// Nine entries a chunk: makes deep trees of few nodes, so that tests meet every kind of
        /// split and merge.
        static var narrow: FanOut { FanOut(sizeClass: 1) }
    }

    /// A forest that holds the root only.
    init(fanOut: FanOut = .wide) {
        chunks = ChunkStore(regularClass: fanOut.sizeClass)
        let root = makeNode(isRow: false)
        assert(NodeID(index: root) == Self.root)
    }

    /// The node above all others: depth −1, no row.
    static let root = NodeID(index: 0)

    /// Visible rows in all. O(1).
    var rowCount: Int { visibleDescendants(of: Self.root) }

    /// Bytes of memory. O(1).
    var byteCount: Int { nodes.byteCount + chunks.byteCount }

    /// The parent; nil for the root. O(1).
    func parent(of node: NodeID) -> NodeID? {
        let parent = record(node).pointee.parent
        return parent == absent ? nil : NodeID(index: parent)
    }

    /// How many children a node has. O(1).
    func childCount(of node: NodeID) -> Int { Int(record(node).pointee.childCount) }

    /// Whether the node hides its subtree. O(1).
    func isCollapsed(_ node: NodeID) -> Bool { record(node).pointee.isCollapsed }

    /// Whether the node is a row itself, as tasks are and sections are not. O(1).
    func isRow(_ node: NodeID) -> Bool { record(node).pointee.isRow }

    /// Rows of the node's subtree that show if the node is visible: 0 when it is collapsed.
    /// O(1).
    func visibleDescendants(of node: NodeID) -> Int {
        Int(record(node).pointee.visibleDescendants)
    }

    /// Rows of the node's subtree that show once it is expanded. O(1).
    func expandedDescendants(of node: NodeID) -> Int { Int(record(node).pointee.expanded) }

    /// Levels of the node's subtree: 1 for a leaf. O(1).
    func height(of node: NodeID) -> Int { Int(record(node).pointee.height) }

    /// Nodes above the node, less one: −1 for the root, 0 for its children. O(depth).
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
