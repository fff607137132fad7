import ReorderEngine
import ReorderJSON

/// An operation that was applied on this device, refused by the server, and then undone here.
public struct Refused: Sendable, Equatable, Identifiable {
    /// The operation's id, which is unique.
    public let id: String
    /// The tasks that the operation named; tasks that it created are removed again.
    public let tasks: [TaskID]
    package let command: Command
    /// The step that the operation is a part of, or the operation itself.
    let step: Substring
    /// The error code of the server's problem document: `locked`, `anchor_gone`, `task_not_found`,
    /// …
    public let code: String
    /// The reason for a person: one sentence in English.
    public let detail: String
    /// Whether an id is in use in another list. If the list itself has it, somebody has brought the task back.
    let isTakenElsewhere: Bool
    /// The placements of those of `tasks` that exist, after the operation was undone. The delta
    /// that undoes the operation moves their rows there.
    package let placements: [TaskID: Placement]

    init(_ operation: PendingOperation, _ problem: ServerProblem, in list: ReorderableList) {
        id = operation.id
        command = operation.command
        step = operation.step ?? operation.id[...]
        tasks = operation.command.tasks
        code = problem.code
        detail = problem.detail
        isTakenElsewhere = code == Refusal.idTaken("").code && problem.version == nil
        var placements: [TaskID: Placement] = [:]
        for task in tasks { placements[task] = list.placement(of: task) }
        self.placements = placements
    }
}
