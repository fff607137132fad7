extension ReorderableList {
    /// The operations that undo `operation`. Applying them in order to the list after `operation`
    /// gives the list before it.
    ///
    /// Call this before applying `operation`. O(log n); for `delete`, O(log n) for each task of the
    /// subtree.
    package func inverse(of operation: ListOperation) throws(OperationError) -> [ListOperation] {
        switch operation {
        case .move(let task, _, _, _):
            let from = placement(at: try existingNode(of: task))
            return [
                .move(
                    task: task, section: from.section, parent: from.parent,
                    position: from.position)
            ]
        case .insert(let task):
            return [.delete(task: task.id)]
        case .update(let task, let set):
            let content = content(at: try existingNode(of: task))
            return [.update(task: task, set: content.former(of: set))]
        case .collapse(let task, _):
            return [
                .collapse(
                    task: task, collapsed: forest.isCollapsed(try existingNode(of: task)))
            ]
        case .delete(let task):
            _ = try existingNode(of: task)
            return subtree(of: task).map { .insert($0) }
        case .list(let set):
            return [.list(set: settings.former(of: set))]
        case .sectionInsert(let section, _, _, _, _):
            return [.sectionDelete(section: section)]
        case .sectionUpdate(let section, _, let data, let maxTasks):
            let node = try existingNode(ofSection: section)
            return [
                .sectionUpdate(
                    section: section, title: sectionTitle(at: node),
                    data: data == nil ? nil : DataUpdate(sectionData(at: node)),
                    maxTasks: maxTasks == nil ? nil : LimitUpdate(sectionLimit(at: node)))
            ]
        case .sectionMove(let section, _):
            let node = try existingNode(ofSection: section)
            return [.sectionMove(section: section, position: sectionPosition(of: node))]
        case .sectionDelete(let section):
            let node = try existingNode(ofSection: section)
            return [
                .sectionInsert(
                    section: section, title: sectionTitle(at: node),
                    position: sectionPosition(of: node), data: sectionData(at: node),
                    maxTasks: sectionLimit(at: node))
            ]
        case .replace:
            throw .needsDocument
        }
    }

    func sectionTitle(at node: NodeID) -> String { sectionTable.records[node]?.title ?? "" }

    func sectionData(at node: NodeID) -> String? { sectionTable.records[node]?.data }

    func sectionLimit(at node: NodeID) -> Int? { sectionTable.records[node]?.maxTasks }

    /// A section's index among the sections. The forest's first child, which has the tasks without
    /// a section, is not counted.
    func sectionPosition(of node: NodeID) -> Int { forest.position(of: node) - 1 }
}
