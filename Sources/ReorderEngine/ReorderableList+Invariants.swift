extension ReorderableList {
    /// The first violated invariant, or `nil` if the list is valid. O(tasks).
    ///
    /// Debug builds check after every operation; tests and `reorderd check` ask for it.
    public func checkInvariants() -> String? {
        if let fault = forest.checkInvariants() { return "forest: \(fault)" }
        if let fault = table.checkInvariants() { return "tasks: \(fault)" }
        return checkSections() ?? checkTopLevelCounts() ?? checkTasks()
    }

    private func checkSections() -> String? {
        let nodes = sectionNodes
        guard nodes.first == sectionTable.unsectioned else {
            return "the tasks without a section do not come first"
        }
        guard nodes.count == sectionTable.nodes.count + 1,
            sectionTable.records.count == sectionTable.nodes.count
        else { return "\(nodes.count - 1) sections stand, \(sectionTable.nodes.count) are known" }
        for node in nodes.dropFirst() {
            guard let id = sectionTable.id(of: node), sectionTable.nodes[id] == node else {
                return "a section's node is not known"
            }
            guard !forest.isCollapsed(node) else { return "section \(id) is collapsed" }
        }
        return nil
    }

    private func checkTasks() -> String? {
        var seen: Set<TaskID> = []
        var row = 0
        for task in tasks {
            guard seen.insert(task.id).inserted else { return "task \(task.id) stands twice" }
            guard let node = table.node(for: task.id) else { return "task \(task.id) is unknown" }
            guard placement(at: node) == task.placement else {
                return "task \(task.id): \(placement(at: node)), walked \(task.placement)"
            }
            guard task.depth < Self.maximumLevels, depth(of: node) == task.depth else {
                return "task \(task.id): depth \(depth(of: node)), walked \(task.depth)"
            }
            if task.placement.row != nil {
                guard forest.node(atRow: row) == node else { return "row \(row) is not \(task.id)" }
                row += 1
            }
        }
        guard seen.count == count else { return "\(seen.count) tasks stand, \(count) are known" }
        guard row == rowCount else { return "\(row) rows stand, \(rowCount) are counted" }
        return nil
    }

    /// Checks the invariants in debug builds, of small lists after every operation; the cost on
    /// large ones would be quadratic, so they are left to the tests and to `reorderd check`.
    func assertInvariants() {
        assert(forest.nodeCount > 200 || checkInvariants() == nil, checkInvariants() ?? "")
    }
}
