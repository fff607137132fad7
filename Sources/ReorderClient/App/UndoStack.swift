import Foundation
import ReorderEngine

/// A step of the user that can be undone.
struct UndoStep: Sendable {
    enum Kind: Sendable {
        case move, create, edit, delete

        /// The name of the step in menus, in the user's language.
        var actionName: String {
            switch self {
            case .move: localized("Move")
            case .create: localized("Add")
            case .edit: localized("Edit")
            case .delete: localized("Delete")
            }
        }
    }

    let id: UUID
    let kind: Kind
    let reversal: Reversal
    /// What this undo or redo has reversed; nil for other steps, and for those of the server.
    private(set) var reversed: StepReversal?

    enum Reversal: Sendable {
        /// - operations: the ids of the operations that made the step.
        case step(StepReversal, operations: [String])
        /// The server made the step, or it is being made; nil if it could not be made.
        case later(Task<LaterReversal?, Never>)
    }

    init(
        id: UUID = UUID(), _ kind: Kind, _ step: AppliedStep, of reversed: StepReversal? = nil
    ) {
        self.init(id: id, kind, .step(step.reversal, operations: step.ids))
        self.reversed = reversed
    }

    /// The same step of a list in which tasks have other ids.
    fileprivate func renamingTasks(_ ids: [TaskID: TaskID]) -> UndoStep {
        guard case .step(let reversal, let operations) = reversal else { return self }
        var step = UndoStep(
            id: id, kind, .step(reversal.renamingTasks(ids), operations: operations))
        step.reversed = reversed?.renamingTasks(ids)
        return step
    }

    init(_ kind: Kind, _ change: LaterReversal) { self.init(kind, .later(Task { change })) }

    init(id: UUID = UUID(), _ kind: Kind, _ reversal: Reversal) {
        (self.id, self.kind, self.reversal) = (id, kind, reversal)
    }
}

/// What takes back a change that the server made, or a step that was taken back after one.
enum LaterReversal: Sendable {
    /// A move of tasks back from another list.
    case transfer(ListTransfer)
    /// A move of a section back from another list.
    case section(SectionTransfer)
    /// The undo of the change that led to this version.
    case version(SyncPoint)
    /// The restoration of a list, or its deletion, and the undo of what this changed in the index.
    case list(String, isDeleted: Bool, index: StepReversal?)

    /// A step of this device.
    case step(StepReversal)

    /// The tasks that are named if it fails.
    var tasks: [TaskID] { if case .transfer(let transfer) = self { transfer.tasks } else { [] } }
}

/// The steps that can be undone, and those that were.
struct UndoStack {
    enum Direction: Sendable {
        case undo, redo

        var opposite: Direction { self == .undo ? .redo : .undo }
    }

    private var done: [UndoStep] = []
    private var undone: [UndoStep] = []
    /// The last ones that can't be redone any more: the server can still refuse the undo that brought them here.
    private var cleared: [UndoStep] = []
    /// The last undo or redo that waits for the server; nil if none does. Further ones wait for it, because they may need its result.
    var running: (id: UUID, task: Task<LaterReversal?, Never>)?

    /// Whether there is a step to undo or redo.
    func has(_ direction: Direction) -> Bool {
        direction == .undo ? !done.isEmpty : !undone.isEmpty
    }

    /// Adds a new step. What was undone before can't be redone any more.
    mutating func push(_ step: UndoStep) {
        cleared = (cleared + undone).suffix(AppliedStep.maximumCount)
        undone = []
        add(step, for: .undo)
    }

    /// Adds a step to undo, or to redo.
    mutating func add(_ step: UndoStep, for direction: Direction) {
        switch direction {
        case .undo: done = (done + [step]).suffix(AppliedStep.maximumCount)
        case .redo: undone.append(step)
        }
    }

    /// Takes a step to undo or redo.
    ///
    /// - Parameter id: nil: the last one.
    mutating func take(_ id: UUID?, for direction: Direction) -> UndoStep? {
        switch direction {
        case .undo: Self.take(id, from: &done)
        case .redo: Self.take(id, from: &undone)
        }
    }

    private static func take(_ id: UUID?, from steps: inout [UndoStep]) -> UndoStep? {
        guard let id else { return steps.popLast() }
        return steps.lastIndex { $0.id == id }.map { steps.remove(at: $0) }
    }

    /// The step that has made some of these operations.
    func step(of refused: some Sequence<Refused>) -> UndoStep? {
        let ids = Set(refused.map(\.id))
        return (done + undone + cleared).first { step in
            guard case .step(_, let operations) = step.reversal else { return false }
            return !ids.isDisjoint(with: operations)
        }
    }

    /// Replaces the step that has the id of this one: an undo manager knows it by its id.
    mutating func replace(_ step: UndoStep) {
        for index in done.indices where done[index].id == step.id { done[index] = step }
        for index in undone.indices where undone[index].id == step.id { undone[index] = step }
        cleared.removeAll { $0.id == step.id }
    }

    /// Tasks of the list have other ids from now on.
    mutating func renameTasks(_ ids: [TaskID: TaskID]) {
        done = done.map { $0.renamingTasks(ids) }
        undone = undone.map { $0.renamingTasks(ids) }
        cleared = cleared.map { $0.renamingTasks(ids) }
    }

    /// Removes the steps of operations that were refused or discarded: they are undone already.
    mutating func forget(_ gone: Set<String>) {
        guard !gone.isEmpty else { return }
        let isGone = { (step: UndoStep) -> Bool in
            guard case .step(_, let operations) = step.reversal else { return false }
            return !gone.isDisjoint(with: operations)
        }
        done.removeAll(where: isGone)
        undone.removeAll(where: isGone)
    }
}
