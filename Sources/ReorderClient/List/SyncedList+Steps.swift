import Foundation
import ReorderEngine
import ReorderJSON

/// A step of the user that was applied: one or more operations.
struct AppliedStep: Sendable {
    /// The ids of the operations.
    let ids: [String]
    let reversal: StepReversal

    fileprivate init(_ ids: [String], _ operations: [ListOperation], before: ReorderableList) {
        self.ids = ids
        reversal = StepReversal(of: operations, before: before)
    }
}

/// What undoes a step. It takes as long as the step, so another thread computes it.
final class StepReversal: Sendable {
    private enum State {
        case step([ListOperation], before: ReorderableList)
        case plan(UndoPlan?)
    }

    private let state: Lock<State>
    /// A step with more operations can't be undone.
    private static let maximumOperations = 10_000

    init(of operations: [ListOperation], before: ReorderableList) {
        state = Lock(.step(operations, before: before))
        Task.detached { [self] in _ = plan }
    }

    init(_ plan: UndoPlan) { state = Lock(.plan(plan)) }

    /// nil if the step can't be undone. It waits until the plan is computed.
    var plan: UndoPlan? {
        state.withLock { state in
            if case .step(let operations, let before) = state {
                state = .plan(
                    try? UndoPlan(operations, before: before, limit: Self.maximumOperations))
            }
            guard case .plan(let plan) = state else { return nil }
            return plan
        }
    }

    /// The same for a list in which tasks have other ids.
    func renamingTasks(_ ids: [TaskID: TaskID]) -> StepReversal {
        plan.map { StepReversal($0.renamingTasks(ids)) } ?? self
    }
}

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

extension SyncMachine {
    /// Applies commands: all of them, or none.
    ///
    /// - Returns: nil if nothing changed.
    mutating func perform(
        _ commands: [Command], at now: Double
    ) throws -> AppliedStep? {
        guard let before = local?.displayed, let waiting = local?.pending.count else {
            throw ClientError.unreachable
        }
        guard waiting + commands.count <= Self.maximumPending else { throw ClientError.queueFull }
        // They are sent together.
        defer { advance(to: now) }
        let step = UUID().uuidString.lowercased()
        guard commands.count > 1 else {
            guard let command = commands.first else { return nil }
            let made = try perform(command, id: step, at: now, sends: false)
            return made.isEmpty ? nil : AppliedStep([step], made, before: before)
        }
        guard !isStopped else { throw ClientError.closed }
        let applied = try applying(step: commands)
        guard !applied.made.isEmpty else { return nil }
        let operations = applied.pending { PendingOperation.id(ofStep: step, $0) }
        do {
            try outbox.append(operations.map { .operation(Self.json($0)) })
        } catch {
            throw ClientError.storage(of: error)
        }
        change { [isLocal] local in
            let touched = local.add(applied, as: operations)
            if isLocal { local.confirm() }
            return touched
        }
        return AppliedStep(operations.map(\.id), applied.operations, before: before)
    }

    /// A function of its own, because a copy of the list that is still there would make the next change copy the queue.
    private func applying(step commands: [Command]) throws(ClientError) -> LocalList.AppliedCommands
    {
        guard let local else { throw .unreachable }
        do throws(Command.Failure) {
            return try local.applying(step: commands)
        } catch {
            throw ClientError(error)
        }
    }

    /// Stores the operations of a step that waited elsewhere. If the rules refuse one now, the server will.
    mutating func adopt(step: ArraySlice<PendingOperation>) throws {
        guard let before = local?.displayed else { throw ClientError.closed }
        var operations: [ListOperation] = []
        for operation in step {
            do {
                try outbox.append(.operation(Self.json(operation)))
            } catch {
                throw ClientError.storage(of: error)
            }
            change { local in
                let touched = local.restore(operation)
                if case .operations(let made) = touched { operations += made }
                return touched
            }
        }
        guard !operations.isEmpty else { return }
        adopted.append(AppliedStep(step.map(\.id), operations, before: before))
        adopted.removeFirst(max(0, adopted.count - UndoStack.maximumSteps))
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
        case .update(let task, var patch):
            if let title = patch.title { try InputValidation.title(title) }
            patch.data = try compact(patch.data)
            return .update(task, patch)
        case .createSection(let id, let title, let position, let data, let maxTasks):
            try InputValidation.id(id)
            try InputValidation.title(title)
            let data = try compact(data)
            return .createSection(
                id, title: title, position: position, data: data == "null" ? nil : data,
                maxTasks: maxTasks)
        case .updateSection(let section, var patch):
            if let title = patch.title { try InputValidation.title(title) }
            try InputValidation.limit(patch.maxTasks)
            patch.data = try compact(patch.data)
            return .updateSection(section, patch)
        case .settings(var patch):
            try InputValidation.settings(patch.update)
            patch.data = try compact(patch.data)
            return .settings(patch)
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
            let first = TaskPatch(
                title: set.title, done: set.done, locked: set.locked,
                // A merge patch can't replace an object: it is removed first.
                data: set.data == nil || list.task(task)?.content.data == nil ? nil : "null")
            return (first == TaskPatch() ? [] : [.update(task, first)])
                + (set.data?.text.map { [.update(task, TaskPatch(data: $0))] } ?? [])
        case .collapse(let task, let collapsed): return [.collapse(task, collapsed)]
        case .delete(let task): return [.delete(task)]
        case .list(var set):
            let data = set.data
            set.data = nil
            // As for a task.
            let first = SettingsPatch(
                set, data: data == nil || list.settings.data == nil ? nil : "null")
            return (first == SettingsPatch() ? [] : [.settings(first)])
                + (data?.text.map { [.settings(SettingsPatch(data: $0))] } ?? [])
        case .sectionInsert(let section, let title, let position, let data, let maxTasks):
            return [
                .createSection(
                    section, title: title, position: position, data: data, maxTasks: maxTasks)
            ]
        case .sectionUpdate(let section, let title, let data, let maxTasks):
            let first = SectionPatch(
                title: title,
                data: data == nil || list.section(section)?.data == nil ? nil : "null",
                maxTasks: maxTasks)
            return [.updateSection(section, first)]
                + (data?.text.map { [.updateSection(section, SectionPatch(data: $0))] } ?? [])
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
