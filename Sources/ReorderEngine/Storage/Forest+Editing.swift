extension Forest {
    /// Adds a node without children as child `position` of `parent`.
    ///
    /// With `isRow: false` the node is not a row itself but shows its children, as a section does.
    /// O(log siblings) for each level above.
    mutating func insert(
        into parent: NodeID, at position: Int, isRow: Bool = true
    ) -> NodeID {
        let node = makeNode(isRow: isRow)
        attach(node, to: parent.index, at: position)
        return NodeID(index: node)
    }

    /// Moves a node with its subtree; `position` counts without the node.
    ///
    /// `parent` must be outside the node's subtree. O(log siblings) for each level above, or for
    /// one level in a move among siblings; independent of the size of the subtree.
    mutating func move(_ node: NodeID, into parent: NodeID, at position: Int) {
        assert(node != Self.root && !isInside(parent, subtreeOf: node))
        let owner = record(node).pointee.parent
        if owner == parent.index {
            let siblings = childCount(of: parent) - 1
            if siblings == 0 { return }
            removeEntry(node.index)
            insertEntry(node.index, into: owner, at: position, among: siblings)
        } else {
            detach(node.index)
            attach(node.index, to: parent.index, at: position)
        }
    }

    /// Removes a node with its subtree and reports each removed node, in no particular order.
    ///
    /// The handles of removed nodes are reused for new nodes. O(size of the subtree) and O(log
    /// siblings) for each level above.
    mutating func remove(_ node: NodeID, freeing body: (NodeID) -> Void) {
        assert(node != Self.root)
        detach(node.index)
        var pendingNodes = [node.index]
        var pendingChunks: [UInt32] = []
        while let next = pendingNodes.popLast() {
            let children = nodes.pointer(at: Int(next)).pointee.children
            body(NodeID(index: next))
            freeNode(next)
            if children != absent { pendingChunks.append(children) }
            while let chunk = pendingChunks.popLast() {
                let view = chunks.reading(chunk)
                let ids = UnsafeBufferPointer(start: view.ids, count: view.count)
                if view.isLeaf {
                    pendingNodes.append(contentsOf: ids)
                } else {
                    pendingChunks.append(contentsOf: ids)
                }
                chunks.free(chunk)
            }
        }
    }

    /// Hides or shows a node's subtree. O(log siblings) for each level above.
    mutating func setCollapsed(_ node: NodeID, _ isCollapsed: Bool) {
        let record = record(node).pointee
        guard record.isCollapsed != isCollapsed else { return }
        nodes.writablePointer(at: Int(node.index)).pointee.isCollapsed = isCollapsed
        guard node != Self.root else { return }
        let change = isCollapsed ? 0 &- record.expanded : record.expanded
        addWeight(change, to: node.index)
        addRows(change, beneath: record.parent)
    }

    private mutating func attach(_ node: UInt32, to owner: UInt32, at position: Int) {
        let siblings = childCount(of: NodeID(index: owner))
        insertEntry(node, into: owner, at: position, among: siblings)
        nodes.writablePointer(at: Int(owner)).pointee.childCount &+= 1
        addRows(nodes.pointer(at: Int(node)).pointee.weight, beneath: owner)
        updateHeight(of: owner)
    }

    private mutating func detach(_ node: UInt32) {
        let record = nodes.pointer(at: Int(node)).pointee
        removeEntry(node)
        nodes.writablePointer(at: Int(record.parent)).pointee.childCount &-= 1
        addRows(0 &- record.weight, beneath: record.parent)
        updateHeight(of: record.parent)
    }
}
