import ListModel
import ReorderEngine

extension RuleChecks {
    /// The difference between a change of a list of folds and the model: the entry of the task is
    /// changed, or a new one is added.
    static func difference(
        folding task: TaskID, _ isFolded: Bool, _ before: ListModel?, _ after: ListModel?
    ) -> String? {
        guard var list = before, var rest = after else { return "the list did not exist" }
        let data = "{\"task\":\"\(task)\"}"
        if let entry = list.tasks.last(where: { $0.content.data == data }) {
            list.edit(entry.id) { $0.collapsed = isFolded }
            return rest == list ? nil : "the entry is wrong"
        }
        guard let entry = rest.sections[0].tasks.popLast() else { return "there is no entry" }
        guard rest == list else { return "other entries changed" }
        let content = entry.content
        return content.data == data && content.collapsed == isFolded && entry.subtasks.isEmpty
            ? nil : "the entry is wrong"
    }

    /// The difference between a move by the rows that a person sees and the model.
    func difference(
        _ move: MoveRequest, seenWith folds: [TaskID: Bool], _ before: ListModel?,
        _ after: ListModel?
    ) -> String? {
        guard let before, let after else { return "the list did not exist" }
        var seen = before
        seen.fold(folds)
        seen.settings.collapseSubElements = false
        do {
            _ = try seen.move(move)
        } catch {
            return "the model refuses it: \(error)"
        }
        // The folds are not stored, and the move collapses no task.
        seen.settings = before.settings
        for task in before.tasks { seen.edit(task.id) { $0.collapsed = task.content.collapsed } }
        return Self.difference(seen, after)
    }
}

extension ListModel {
    /// The list as a person with these folds sees it.
    mutating func fold(_ folds: [TaskID: Bool]) {
        for (task, isFolded) in folds { edit(task) { $0.collapsed = isFolded } }
    }
}
