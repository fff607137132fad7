/// What forest and table know of each other, so that a look-up reaches both at once: the table's
/// index tells the leaf of a node, and the forest's mark of a node tells its text.
extension ReorderableList {
    /// Brings that up to date: after each change of the forest that inserts, moves or removes, and
    /// after each change of the table. O(1) for each node that was given another leaf or text.
    mutating func updateShortcuts() {
        if !forest.relocated.isEmpty {
            for index in forest.relocated {
                let node = NodeID(index: index)
                // Sections have no task, and what was told of may have been removed since.
                if table.holds(node) { table.setLeaf(of: node, forest.leaf(of: node)) }
            }
            forest.relocated.removeAll(keepingCapacity: true)
        }
        if !table.rewritten.isEmpty {
            for index in table.rewritten {
                let node = NodeID(index: index)
                let text = table.text(of: node)
                // A node whose text was moved on may have been removed after that.
                if text != 0 { forest.setMark(of: node, text) }
            }
            table.rewritten.removeAll(keepingCapacity: true)
        }
    }

    /// What the look-up of an id told must be what forest and table know.
    ///
    /// A look-up goes on from the index alone. Whoever changes the list next asks this first: it has
    /// the records brought from memory while the leaf and the text are on their way too.
    func confirm(_ found: TaskTable.Found) {
        precondition(
            forest.leaf(of: found.node) == found.leaf && table.text(of: found.node) == found.text,
            "the index is not up to date")
    }

    /// Nil, or what is wrong.
    func checkShortcuts(of task: TaskID, at node: NodeID) -> String? {
        guard let found = table.find(task), found.node == node else { return "is unknown" }
        if found.leaf != forest.leaf(of: node) { return "leaf" }
        if found.text != table.text(of: node) { return "text" }
        return forest.mark(of: node) == found.text ? nil : "mark"
    }
}
