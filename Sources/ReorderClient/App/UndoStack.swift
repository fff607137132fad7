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

    let id = UUID()
    let kind: Kind
    var reversal: Reversal

    enum Reversal: Sendable {
        /// - operations: the ids of the operations that made the step.
        case plan(UndoPlan, operations: [String])
        /// Tasks went to another list.
        case transfer(ListTransfer)
    }

    init(_ kind: Kind, _ step: AppliedStep) {
        self.kind = kind
        reversal = .plan(step.plan, operations: step.ids)
    }

    init(_ transfer: ListTransfer) {
        kind = .move
        reversal = .transfer(transfer)
    }
}

/// The steps that can be undone, and those that were.
struct UndoStack {
    enum Direction: Sendable {
        case undo, redo

        var opposite: Direction { self == .undo ? .redo : .undo }
    }

    private var done: [UndoStep] = []
    private var undone: [UndoStep] = []

    static let maximumSteps = 100

    /// Whether there is a step to undo or redo.
    func has(_ direction: Direction) -> Bool {
        direction == .undo ? !done.isEmpty : !undone.isEmpty
    }

    /// Adds a new step. What was undone before can't be redone any more.
    mutating func push(_ step: UndoStep) {
        undone = []
        add(step, for: .undo)
    }

    /// Adds a step to undo, or to redo.
    mutating func add(_ step: UndoStep, for direction: Direction) {
        switch direction {
        case .undo: done = (done + [step]).suffix(Self.maximumSteps)
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

    /// Removes the steps of operations that were refused or discarded: they are undone already.
    mutating func forget(_ gone: Set<String>) {
        guard !gone.isEmpty else { return }
        let isGone = { (step: UndoStep) -> Bool in
            guard case .plan(_, let operations) = step.reversal else { return false }
            return !gone.isDisjoint(with: operations)
        }
        done.removeAll(where: isGone)
        undone.removeAll(where: isGone)
    }
}
