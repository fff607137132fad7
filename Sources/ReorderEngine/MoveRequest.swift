/// A client's request to move tasks: which tasks, and the destination.
public struct MoveRequest: Sendable, Equatable {
    /// What moves.
    public var subject: Subject
    /// The destination.
    public var destination: Destination

    /// What moves: a task named by its id, several of them, or the task at a row.
    public enum Subject: Sendable, Equatable {
        /// One task with its subtree.
        case task(TaskID)
        /// Several tasks with their subtrees, to arrive contiguous and in this order. A task whose
        /// ancestor is also named moves with the ancestor.
        case tasks([TaskID])
        /// The task at a visible row.
        case row(Int)
    }

    /// A request to move something somewhere.
    public init(_ subject: Subject, to destination: Destination) {
        self.subject = subject
        self.destination = destination
    }
}

/// The destination of a move: up to three alternatives, tried in the order of the members.
///
/// The first that still exists, and is not inside what moves, decides. Positions count after what
/// moves is taken out; one past the end means the end.
public struct Destination: Sendable, Equatable {
    /// The sibling to stand behind (behind its whole subtree, as rows go).
    public var after: TaskID?
    /// The sibling to stand before.
    public var before: TaskID?
    /// The siblings to join.
    public var place: Place?
    /// A visible row, as a table view reports it. Only valid alone, and with a subject `row`.
    public var row: Int?

    /// A place that needs no anchor: a group of siblings and an index among them.
    public struct Place: Sendable, Equatable {
        /// The siblings to join.
        public var siblings: Siblings
        /// The index among them; `nil` is the end, a negative one is 0.
        public var position: Int?

        /// A place among siblings; without a position their end.
        public init(_ siblings: Siblings, position: Int? = nil) {
            self.siblings = siblings
            self.position = position
        }
    }

    /// A group of tasks that share parent and section.
    public enum Siblings: Sendable, Equatable {
        /// The subtasks of a task.
        case subtasks(of: TaskID)
        /// The top level of a section; `nil` of the tasks without a section.
        case section(SectionID?)
        /// The top level of the section in which the task stands.
        case topLevel
        /// The siblings that the task has now.
        case own
    }

    /// Creates a destination. A move with an empty one is refused.
    public init(
        after: TaskID? = nil, before: TaskID? = nil, place: Place? = nil, row: Int? = nil
    ) {
        self.after = after
        self.before = before
        self.place = place
        self.row = row
    }
}

/// Which part of a destination decided.
public enum PlacedBy: String, Sendable {
    case after, before, parent, section, position
}

/// The result of a move.
public struct MoveOutcome: Sendable, Equatable {
    /// The change in normal form; empty if nothing changed.
    public var operations: [ListOperation]
    /// The tasks that were named, in the order in which they were named.
    public var tasks: [TaskID]
    /// Where each of `tasks` stood before.
    public var from: [Placement]
    /// Which part of the destination decided.
    public var placedBy: PlacedBy
    /// The tasks that were collapsed on the way.
    public var collapsed: [TaskID]

    /// Whether anything is different now.
    public var changed: Bool { !operations.isEmpty }
}
