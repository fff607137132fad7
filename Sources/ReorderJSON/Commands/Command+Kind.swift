import ReorderEngine

extension Command {
    /// The kinds of commands, by the value of `op`, and the members of each.
    package enum Kind: String, Sendable, CaseIterable {
        case move, create, update, collapse, delete, list
        case sectionCreate = "section-create"
        case sectionUpdate = "section-update"
        case sectionMove = "section-move"
        case sectionDelete = "section-delete"

        /// The members of an op, besides `op` and `opId`.
        package var members: [JSONName] {
            switch self {
            case .move: Self.moveMembers
            case .create: Self.createMembers
            case .update: ["task", "set"]
            case .collapse: ["task", "collapsed"]
            case .delete: ["task"]
            case .list: ["set"]
            case .sectionCreate: ["section", "position"] + SectionUpdate.names
            case .sectionUpdate: ["section"] + SectionUpdate.names
            case .sectionMove: ["section", "position"]
            case .sectionDelete: ["section", "tasks"]
            }
        }

        /// The members of the body of a request of its own. Its path names the task or section that is changed, and the members of
        /// `set` are the body's own.
        package var bodyMembers: [JSONName] {
            switch self {
            case .move: Self.moveMembers
            case .create: Self.taskMembers
            case .update: TaskUpdate.names
            case .collapse: ["collapsed"]
            case .list: SettingsUpdate.names
            case .sectionCreate: ["id", "position"] + SectionUpdate.names
            case .sectionUpdate: SectionUpdate.names
            case .sectionMove: ["position"]
            case .delete, .sectionDelete: []
            }
        }

        private static let moveMembers: [JSONName] =
            ["task", "tasks", "fromRow", "fromRows", "from", "undo"] + DestinationForm.members
            + DestinationForm.rowMembers
        private static let taskMembers: [JSONName] =
            ["id"] + TaskUpdate.names + ["collapsed"] + DestinationForm.members
        private static let createMembers = taskMembers + ["undo"]
    }

    package var kind: Kind {
        switch self {
        case .move: .move
        case .create: .create
        case .update: .update
        case .collapse: .collapse
        case .delete: .delete
        case .settings: .list
        case .createSection: .sectionCreate
        case .updateSection: .sectionUpdate
        case .moveSection: .sectionMove
        case .deleteSection: .sectionDelete
        }
    }
}
