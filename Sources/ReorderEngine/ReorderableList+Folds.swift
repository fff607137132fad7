extension ReorderableList {
    /// Hides or shows the subtasks of tasks as one person sees them. This is no change of the list:
    /// no times change, and the result is only for reading. Tasks that the list does not contain are
    /// ignored. O(log n) for each task.
    ///
    /// - Parameter folds: whether each task's subtasks are hidden.
    package mutating func fold(_ folds: [TaskID: Bool]) {
        for (task, isFolded) in folds {
            if let node = table.node(for: task) { forest.setCollapsed(node, isFolded) }
        }
        assertInvariants()
    }

    /// Moves tasks like `move`, but counts the rows that a person with these folds sees. The move
    /// collapses no task.
    mutating func move(
        _ request: MoveRequest, withFolds folds: [TaskID: Bool]
    ) throws(Refusal) -> MoveOutcome {
        var seen = self
        seen.fold(folds)
        seen.settings.collapseSubElements = false
        var request = request
        request.folds = nil
        let outcome = try seen.move(request)
        _ = applyChecked(outcome.operations)
        return outcome
    }
}
