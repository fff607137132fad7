import Foundation
import ReorderEngine

/// Why a step can't be undone.
enum UndoFailure: Error {
    case conflict(UndoConflict)
    case client(ClientError)
}

extension SyncedList {
    /// Applies intents as one step: all of them, or none. O(log n) for each.
    ///
    /// - Returns: nil if nothing changed.
    func perform(_ intents: [Intent]) throws(ClientError) -> AppliedStep? {
        let valid = try Intent.validated(intents)
        return try update { machine, now in try machine.perform(valid, at: now) }
    }

    /// Undoes a step, if others have not changed what it changed.
    ///
    /// - Returns: the step that was applied for it; nil if nothing changed.
    func undo(_ reversal: StepReversal) throws(UndoFailure) -> AppliedStep? {
        guard let plan = reversal.plan else { return nil }
        let result: Result<AppliedStep?, UndoFailure>
        do throws(ClientError) {
            result = try update { machine, now in
                guard let list = machine.local?.displayed else { throw ClientError.closed }
                var undone = list
                do {
                    let operations = try undone.undoOperations(of: plan, isLast: false)
                    let intents = Intent.all(of: operations, on: list)
                    return .success(try machine.perform(intents, at: now))
                } catch let conflict as UndoConflict {
                    return .failure(.conflict(conflict))
                }
            }
        } catch {
            throw .client(error)
        }
        return try result.get()
    }
}

extension PendingOperation {
    /// The operations of a step that an open list will apply later.
    ///
    /// - Throws: `invalid` if the server would reject a value.
    static func step(of intents: [Intent]) throws(ClientError) -> [PendingOperation] {
        let step = UUID().uuidString.lowercased()
        return try Intent.validated(intents).enumerated().map { index, intent in
            let id = intents.count == 1 ? step : id(ofStep: step, index)
            return PendingOperation(id: id, intent: intent)
        }
    }
}

extension Intent {
    fileprivate static func validated(_ intents: [Intent]) throws(ClientError) -> [Intent] {
        var valid: [Intent] = []
        for intent in intents { valid.append(try intent.validated()) }
        return valid
    }

    /// Rejects values that the server would reject, and removes what only the server sets.
    private func validated() throws(ClientError) -> Intent {
        switch self {
        case .create(var content, let place):
            content.stamps = TaskStamps()
            try InputValidation.id(content.id)
            try InputValidation.title(content.title)
            content.data = try content.data.map { data throws(ClientError) in
                try InputValidation.data(data)
            }
            return .create(content, at: place)
        case .update(let task, var changes):
            if let title = changes.title { try InputValidation.title(title) }
            changes.data = try changes.data.map { data throws(ClientError) in
                try InputValidation.data(data)
            }
            return .update(task, changes)
        case .createSection(let id, let title, let position, let data, let maxTasks):
            try InputValidation.id(id)
            try InputValidation.title(title)
            let data = try data.map { data throws(ClientError) in try InputValidation.data(data) }
            return .createSection(
                id, title: title, position: position, data: data == "null" ? nil : data,
                maxTasks: maxTasks)
        case .updateSection(let section, let title, let data, let maxTasks):
            if let title { try InputValidation.title(title) }
            try InputValidation.limit(maxTasks)
            return .updateSection(
                section, title: title,
                data: try data.map { data throws(ClientError) in try InputValidation.data(data) },
                maxTasks: maxTasks)
        case .settings(let update, let data):
            try InputValidation.settings(update)
            return .settings(
                update,
                data: try data.map { data throws(ClientError) in try InputValidation.data(data) })
        case .move, .collapse, .delete, .moveSection, .deleteSection: break
        }
        return self
    }

    /// The intents that do the same as the operations of an undo, in normal form.
    ///
    /// - Parameter list: the list before the operations.
    fileprivate static func all(
        of operations: [ListOperation], on list: ReorderableList
    ) -> [Intent] {
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

    private static func all(of operation: ListOperation, on list: ReorderableList) -> [Intent] {
        switch operation {
        case .move(let task, let section, let parent, let position):
            let place = Destination.Place(
                parent.map { .subtasks(of: $0) } ?? .section(section), position: position)
            return [
                .move(MoveRequest(.task(task), to: Destination(puttingBackTo: place, in: list)))
            ]
        case .insert(let task):
            var content = task.content
            content.stamps = TaskStamps()
            let place = Destination.Place(
                task.placement.parent.map { .subtasks(of: $0) } ?? .section(task.placement.section),
                position: task.placement.position)
            return [.create(content, at: Destination(puttingBackTo: place, in: list))]
        case .update(let task, let set):
            let first = TaskChanges(
                title: set.title, done: set.done, locked: set.locked,
                // A merge patch can't replace an object: it is removed first.
                data: set.data == nil || list.task(task)?.content.data == nil ? nil : "null")
            let second = set.data?.text.map { Intent.update(task, TaskChanges(data: $0)) }
            return (first == TaskChanges() ? [] : [.update(task, first)])
                + (second.map { [$0] } ?? [])
        case .collapse(let task, let collapsed): return [.collapse(task, collapsed)]
        case .delete(let task): return [.delete(task)]
        case .list(var set):
            let data = set.data
            set.data = nil
            // As for a task.
            let removal = data == nil || list.settings.data == nil ? nil : "null"
            let second = data?.text.map { Intent.settings(SettingsUpdate(), data: $0) }
            return
                (set == SettingsUpdate() && removal == nil
                ? [] : [.settings(set, data: removal)]) + (second.map { [$0] } ?? [])
        case .sectionInsert(let section, let title, let position, let data, let maxTasks):
            return [
                .createSection(
                    section, title: title, position: position, data: data, maxTasks: maxTasks)
            ]
        case .sectionUpdate(let section, let title, let data, let maxTasks):
            let removal = data == nil || list.section(section)?.data == nil ? nil : "null"
            let first = Intent.updateSection(
                section, title: title, data: removal, maxTasks: maxTasks)
            return [first]
                + (data?.text.map { [.updateSection(section, title: nil, data: $0)] } ?? [])
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

extension DataUpdate {
    fileprivate var text: String? { if case .set(let text) = self { text } else { nil } }
}
