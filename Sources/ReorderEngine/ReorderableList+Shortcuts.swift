/// What forest and table know of each other, so that a look-up does not go through both: the table's
/// index tells the seat of a node, and the forest's mark of a node tells its text.
extension ReorderableList {
    /// Brings that up to date: after each change of the forest that inserts, moves or removes, and
    /// after each change of the table. O(1) for each node that was given another seat or text.
    mutating func updateShortcuts() {
        if !forest.relocated.isEmpty {
            for index in forest.relocated {
                let node = NodeID(index: index)
                // Sections have no task, and what was told of may have been removed since.
                if table.holds(node) { table.setSeat(of: node, forest.seat(of: node)) }
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
    /// records and leaf brought from memory at once.
    func confirm(_ found: TaskTable.Found) {
        precondition(
            forest.lists(found.node, at: found.seat) && table.holds(found.node),
            "the index is not up to date")
    }

    /// Nil, or what is wrong.
    func checkShortcuts(of task: TaskID, at node: NodeID) -> String? {
        guard let found = table.find(task), found.node == node else { return "is unknown" }
        if found.seat != forest.seat(of: node) { return "seat" }
        return forest.mark(of: node) == table.text(of: node) ? nil : "mark"
    }
}
