extension MoveRequest {
    /// The same move by ids: of the tasks at the named rows of a list, to the place between the
    /// neighbors there. It can be made in a later version of the list. O(log n) for each named task.
    ///
    /// - Parameters:
    ///   - list: the list in which rows are counted, for a person with the request's folds.
    ///   - other: the list in which the rows of the destination are counted, if the tasks move into
    ///     another list.
    /// - Throws: `rowNotFound`, `sectionNotFound`, `anchorGone`, `rowNotInSection` or
    ///   `levelNotPossible`.
    package func namingTasks(
        in list: ReorderableList, into other: ReorderableList? = nil
    ) throws(Refusal) -> MoveRequest {
        var seen = list
        if let folds { seen.fold(folds) }
        var named = self
        let roots: SubtreeRoots
        if case .task(let id) = subject {
            roots = seen.subtreeRoots(of: [id])
        } else if case .tasks(let ids) = subject {
            roots = seen.subtreeRoots(of: ids)
        } else {
            let found = try seen.resolve(subject)
            let ids = found.tasks.map(\.task.id)
            named.subject = subject.isBlock ? .tasks(ids) : .task(ids[0])
            roots = found.roots
        }
        guard let rows = destination.rows else { return named }
        let layout =
            if let other {
                RowLayout(of: other, receiving: roots, from: seen)
            } else {
                RowLayout(of: seen, moving: roots)
            }
        named.destination = try layout.destination(rows)
        return named
    }
}

extension ReorderableList {
    /// Those of the tasks that have no ancestor among them, also tasks that do not exist. O(depth) for each task.
    package func roots(of tasks: [TaskID]) -> [TaskID] {
        guard tasks.count > 1 else { return tasks }
        let roots = subtreeRoots(of: tasks)
        return tasks.filter { task in table.node(for: task).map { roots.contains($0) } ?? true }
    }

    fileprivate func subtreeRoots(of tasks: [TaskID]) -> SubtreeRoots {
        SubtreeRoots(of: tasks.compactMap { table.node(for: $0) }, in: forest)
    }
}
