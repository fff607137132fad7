import ReorderEngine
import ReorderJSON

/// Several changes as one step.
extension LiveList {
    /// Makes several changes as one step: all of them, or none. One undo takes them back, and other devices see them at once.
    ///
    /// ```swift
    /// list.step {
    ///     guard let fruit = list.create("Fruit") else { return }
    ///     list.move(["apples", "pears"], to: .inside(fruit))
    /// }
    /// ```
    ///
    /// If one of the changes is refused, nothing changes, and ``notice`` has the reason. In `changes`, ``snapshot``, ``row(_:)`` and
    /// ``layout(moving:)`` have the changes so far; ``sections`` has them afterwards. Hidden subtasks and moves to other lists are not part
    /// of the step: a task that the step creates has neither yet. Nothing can be undone in a step. A step in a step is part of it. O(log n) for each change.
    ///
    /// - Parameter changes: calls of this list, such as ``create(_:at:)``. If it throws, nothing changes.
    /// - Returns: whether the list changed.
    @discardableResult
    public func step(_ changes: () throws -> Void) rethrows -> Bool {
        let outer = draft
        draft = draft ?? StepDraft(list: snapshot, isChecked: synced != nil)
        do {
            try changes()
        } catch {
            draft = outer
            throw error
        }
        guard outer == nil else { return draft?.isRefused == false }
        let made = draft
        draft = nil
        guard let made, !made.isRefused, let kind = made.kind else { return false }
        return perform(kind, made.commands)
    }
}

/// The changes of a step that is being made.
struct StepDraft {
    /// The list with the changes so far.
    private(set) var list: ReorderableList
    private(set) var commands: [Command] = []
    /// Names the step in menus; nil if it has no changes.
    private(set) var kind: UndoStep.Kind?
    /// Whether a change was refused.
    var isRefused = false
    /// Whether the rules decide now; not while the list is still being read.
    private let isChecked: Bool

    init(list: ReorderableList, isChecked: Bool) {
        self.list = list
        // The limits are checked at the end of the step: a later change can make room.
        self.list.checksLimits = false
        self.isChecked = isChecked
    }

    /// Adds changes. If one is refused, the step must not be made.
    mutating func add(_ kind: UndoStep.Kind, _ commands: [Command]) throws(ClientError) {
        for command in commands {
            do throws(Command.Failure) {
                _ = try command.apply(to: &list)
            } catch {
                if isChecked { throw ClientError(error) }
            }
        }
        self.commands += commands
        self.kind = self.kind == nil || self.kind == kind ? kind : .edit
    }
}
