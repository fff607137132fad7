import ReorderEngine

/// An operation that was done here at once and that the server refused: it has been taken back.
public struct Refused: Sendable, Equatable {
    /// What the person did.
    public enum Kind: String, Sendable {
        case move, create, update, collapse, delete
        case list, createSection, renameSection, moveSection, deleteSection
    }

    /// What the person did.
    public let kind: Kind
    /// The tasks that it named; those that were to be made are gone again.
    public let tasks: [TaskID]
    /// The section that it named.
    public let section: SectionID?
    /// Why, for a program: `locked`, `anchor_gone`, `task_not_found`, … as the server's problem
    /// documents have it.
    public let code: String
    /// Why, for a person: one sentence in English.
    public let detail: String
    /// Where those of `tasks` stand that exist, now that it is taken back: the delta that comes with
    /// this lets their rows glide there.
    public let placements: [TaskID: Placement]

    init(_ intent: Intent, _ problem: ServerProblem, in list: ReorderableList) {
        (kind, section) = intent.kind
        tasks = intent.tasks
        code = problem.code
        detail = problem.detail
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
        case .createSection(let section, _, _): (.createSection, section)
        case .renameSection(let section, _): (.renameSection, section)
        case .moveSection(let section, _): (.moveSection, section)
        case .deleteSection(let section, _): (.deleteSection, section)
        }
    }
}
