import ReorderEngine

/// The limits that a list sets itself.
extension ListModel {
    /// Checks the list after a request: nothing is beyond a limit that was not already as far beyond
    /// it before the request.
    package func checkLimits(after before: ListModel) throws(Refusal) {
        for task in tasks where task.depth >= settings.maxDepth ?? .max {
            if task.depth > before.task(task.id)?.depth ?? -1 { throw .maxDepth }
        }
        guard checksRoom else { return }
        for section in sections where section.id != nil {
            let former = before.sections.first { $0.id == section.id }?.tasks.count ?? 0
            if section.tasks.count > max(former, settings.maxTasksPerSection ?? .max) {
                throw .sectionFull
            }
        }
        for task in tasks
        where task.subtasks
            > max(before.task(task.id)?.subtasks ?? 0, settings.tasksPerParent ?? .max)
        { throw .parentFull }
    }
}
