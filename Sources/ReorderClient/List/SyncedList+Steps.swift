import Foundation
import ReorderEngine
import ReorderJSON

/// Why a step can't be undone.
enum UndoFailure: Error {
    case conflict(UndoConflict)
    case client(ClientError)
}

extension SyncedList {
    /// Applies commands as one step: all of them, or none. O(log n) for each.
    ///
    /// - Returns: nil if nothing changed.
    func perform(_ commands: [Command]) throws(ClientError) -> AppliedStep? {
        let valid = try Command.validated(commands)
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
                    let commands = Command.all(of: operations, on: list)
                    return .success(try machine.perform(commands, at: now))
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
    static func step(of commands: [Command]) throws(ClientError) -> [PendingOperation] {
        let step = UUID().uuidString.lowercased()
        return try Command.validated(commands).enumerated().map { index, command in
            let id = commands.count == 1 ? step : id(ofStep: step, index)
            return PendingOperation(id: id, command: command)
        }
    }
}

extension Command {
    fileprivate static func validated(_ commands: [Command]) throws(ClientError) -> [Command] {
        var valid: [Command] = []
        for command in commands { valid.append(try command.validated()) }
        return valid
    }

    /// Rejects values that the server would reject, and removes what only the server sets.
    func validated() throws(ClientError) -> Command {
        func compact(_ data: String?) throws(ClientError) -> String? {
            if let data { try InputValidation.data(data) } else { nil }
        }
        switch self {
        case .create(var content, let place):
            content.stamps = TaskStamps()
            try InputValidation.id(content.id)
            try InputValidation.title(content.title)
            content.data = try compact(content.data)
            return .create(content, at: place)
        case .update(let task, var update):
            if let title = update.title { try InputValidation.title(title) }
            update.data = try update.data?.validated()
            return .update(task, update)
        case .createSection(let id, let title, let position, let data, let maxTasks):
            try InputValidation.id(id)
            try InputValidation.title(title)
            let data = try compact(data)
            return .createSection(
                id, title: title, position: position, data: data == "null" ? nil : data,
                maxTasks: maxTasks)
        case .updateSection(let section, var update):
            if let title = update.title { try InputValidation.title(title) }
            try InputValidation.limit(update.maxTasks)
            update.data = try update.data?.validated()
            return .updateSection(section, update)
        case .settings(var update):
            try InputValidation.settings(update)
            update.data = try update.data?.validated()
            return .settings(update)
        case .move, .collapse, .delete, .moveSection, .deleteSection: return self
        }
    }

    /// The commands that do the same as the operations of an undo, in normal form.
    ///
    /// - Parameter list: the list before the operations.
    fileprivate static func all(
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

extension DataUpdate {
    fileprivate func validated() throws(ClientError) -> DataUpdate {
        guard case .set(let text) = self else { return self }
        return DataUpdate(json: try InputValidation.data(text))
    }
}
