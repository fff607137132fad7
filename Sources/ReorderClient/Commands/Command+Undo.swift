import ReorderEngine
import ReorderJSON

extension Command {
    /// The commands that do the same as the operations of an undo, in normal form.
    ///
    /// - Parameter list: the list before the operations.
    static func all(
        of operations: [ListOperation], on list: ReorderableList
    ) -> [Command] {
        // For the data, which a merge patch changes, and for the limits.
        guard operations.contains(where: \.setsData) else {
            return operations.flatMap { all(of: $0, on: list) }
        }
        var list = list
        return operations.flatMap { operation in
            defer { try? list.apply(operation) }
            return all(of: operation, on: list)
        }
    }

    private static func all(of operation: ListOperation, on list: ReorderableList) -> [Command] {
        switch operation {
        case .move(let task, let section, let parent, let position):
            let place = Destination.Place(
                .init(parent: parent, section: section), position: position)
            return [
                .move(MoveRequest(.task(task), to: Destination(puttingBackTo: place, in: list)))
            ]
        case .insert(let task):
            var content = task.content
            content.stamps = TaskStamps()
            let place = Destination.Place(
                .init(parent: task.placement.parent, section: task.placement.section),
                position: task.placement.position)
            return [.create(content, at: Destination(puttingBackTo: place, in: list))]
        case .update(let task, let set):
            let first = TaskUpdate(
                title: set.title, done: set.done, locked: set.locked,
                // A merge patch can't replace an object: it is removed first.
                data: set.data == nil || list.task(task)?.content.data == nil ? nil : .remove)
            return (first.isEmpty ? [] : [.update(task, first)])
                + (set.data?.data.map { [.update(task, TaskUpdate(data: .set($0)))] } ?? [])
        case .collapse(let task, let collapsed): return [.collapse(task, collapsed)]
        case .delete(let task): return [.delete(task)]
        case .list(let set):
            // As for a task.
            var first = set
            first.data = set.data == nil || list.settings.data == nil ? nil : .remove
            return (first.isEmpty ? [] : [.settings(first)])
                + (set.data?.data.map { [.settings(SettingsUpdate(data: .set($0)))] } ?? [])
        case .sectionInsert(let section, let title, let position, let data, let maxTasks):
            return [
                .createSection(
                    section, title: title, position: position, data: data, maxTasks: maxTasks)
            ]
        case .sectionUpdate(let section, let title, let data, let maxTasks):
            let first = SectionUpdate(
                title: title,
                data: data == nil || list.section(section)?.data == nil ? nil : .remove,
                maxTasks: maxTasks)
            return [.updateSection(section, first)]
                + (data?.data.map { [.updateSection(section, SectionUpdate(data: .set($0)))] }
                    ?? [])
        case .sectionMove(let section, let position):
            return [.moveSection(section, position: position)]
        case .sectionDelete(let section): return [.deleteSection(section, tasks: .keep)]
        case .replace: return []
        }
    }
}

extension ListOperation {
    fileprivate var setsData: Bool {
        switch self {
        case .update(_, let set): set.data != nil
        case .list(let set): set.data != nil
        case .sectionUpdate(_, _, let data, _): data != nil
        default: false
        }
    }
}

extension Destination {
    fileprivate init(puttingBackTo place: Place, in list: ReorderableList) {
        self.init(place: place)
        // Only if it matters: earlier servers refuse the member.
        isUndo = list.hasLimits
    }
}
