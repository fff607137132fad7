extension ReorderableList {
    /// The first violated invariant, or nil if the list is valid. O(tasks).
    ///
    /// Debug builds call this after every operation on a small list. Tests and `reorderd check`
    /// call it too.
    package func checkInvariants() -> String? {
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
        else {
            return
                "\(nodes.count - 1) sections are linked, \(sectionTable.nodes.count) are registered"
        }
        for node in nodes.dropFirst() {
            guard let id = sectionTable.id(of: node), sectionTable.nodes[id] == node else {
                return "a section's node is not registered"
            }
            guard !forest.isCollapsed(node) else { return "section \(id) is collapsed" }
        }
        return nil
    }

    private func checkTasks() -> String? {
        var seen: Set<TaskID> = []
        var row = 0
        var open = 0
        for task in tasks {
            guard seen.insert(task.id).inserted else { return "task \(task.id) occurs twice" }
            guard let node = table.node(for: task.id) else {
                return "task \(task.id) is not registered"
            }
            guard placement(at: node) == task.placement else {
                return "task \(task.id): \(placement(at: node)), walked \(task.placement)"
            }
            guard task.depth < Self.maximumLevels, depth(of: node) == task.depth else {
                return "task \(task.id): depth \(depth(of: node)), walked \(task.depth)"
            }
            if task.depth == 0, !task.content.done { open += 1 }
            if task.placement.row != nil {
                guard forest.node(atRow: row) == node else { return "row \(row) is not \(task.id)" }
                row += 1
            }
        }
        guard seen.count == count else {
            return "\(seen.count) tasks are linked, \(count) are counted"
        }
        guard open == openTopLevelCount else {
            return "\(open) top-level tasks are not done, \(openTopLevelCount) are counted"
        }
        guard row == rowCount else { return "\(row) rows are visible, \(rowCount) are counted" }
        return nil
    }

    /// In debug builds, checks the invariants of small lists after every operation. For large lists
    /// this would cost O(tasks) for each operation, so only the tests and `reorderd check` check
    /// them.
    func assertInvariants() {
        assert(forest.nodeCount > 200 || checkInvariants() == nil, checkInvariants() ?? "")
    }
}
