import ReorderEngine

/// An operation that was applied on this device, refused by the server, and then undone here.
public struct Refused: Sendable, Equatable, Identifiable {
    /// The kind of operation. `renameSection` is any change of a section's title or data.
    package enum Kind: String, Sendable {
        case move, create, update, collapse, delete
        case list, createSection, renameSection, moveSection, deleteSection
    }

    /// The operation's id, which is unique.
    public let id: String
    /// The kind of operation.
    package let kind: Kind
    /// The tasks that the operation named; tasks that it created are removed again.
    public let tasks: [TaskID]
    let intent: Intent
    /// The step that the operation is a part of, or the operation itself.
    let step: Substring
    /// The section that the operation named.
    package let section: SectionID?
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
        intent = operation.intent
        step = operation.step ?? operation.id[...]
        (kind, section) = operation.intent.kind
        tasks = operation.intent.tasks
        code = problem.code
        detail = problem.detail
        isTakenElsewhere = code == Refusal.idTaken("").code && problem.version == nil
        var placements: [TaskID: Placement] = [:]
        for task in tasks { placements[task] = list.placement(of: task) }
        self.placements = placements
    }
}

extension Intent {
    fileprivate var kind: (Refused.Kind, SectionID?) {
        switch self {
        case .move: (.move, nil)
        case .create: (.create, nil)
        case .update: (.update, nil)
        case .collapse: (.collapse, nil)
        case .delete: (.delete, nil)
        case .settings: (.list, nil)
        case .createSection(let section, _, _, _, _): (.createSection, section)
        case .updateSection(let section, _, _, _): (.renameSection, section)
        case .moveSection(let section, _): (.moveSection, section)
        case .deleteSection(let section, _): (.deleteSection, section)
        }
    }
}
