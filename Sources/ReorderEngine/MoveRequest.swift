/// A client's request to move tasks: which tasks, and the destination.
package struct MoveRequest: Sendable, Equatable {
    /// The tasks to move.
    package var subject: Subject
    /// The destination.
    package var destination: Destination
    /// The folds of the person who moves, for rows; nil means that rows are counted as stored.
    package var folds: [TaskID: Bool]?

    /// The tasks to move, named by ids or by visible rows.
    package enum Subject: Sendable, Equatable {
        /// One task with its subtree.
        case task(TaskID)
        /// Several tasks with their subtrees, which arrive contiguous and in this order. A task
        /// whose ancestor is also named moves with the ancestor.
        case tasks([TaskID])
        /// The task at a visible row.
        case row(Int)
        /// The tasks at several visible rows, from top to bottom. Like `tasks`, they arrive
        /// contiguous.
        case rows([Int])
        /// The task at a visible row of a section, counted within the section.
        case path(SectionID?, row: Int)
    }

    /// Creates a request to move tasks to a destination.
    package init(_ subject: Subject, to destination: Destination) {
        self.subject = subject
        self.destination = destination
    }

    /// Whether the request counts visible rows, which depend on what is collapsed.
    package var countsRows: Bool { subject.countsRows || destination.rows != nil }
}

extension MoveRequest.Subject {
    /// Whether tasks are named by rows.
    package var countsRows: Bool {
        switch self {
        case .task, .tasks: false
        case .row, .rows, .path: true
        }
    }

    /// Whether the request names an array.
    package var isBlock: Bool {
        switch self {
        case .tasks, .rows: true
        case .task, .row, .path: false
        }
    }
}

/// The destination of a move: a place between visible rows, or up to three alternatives: `after`,
/// `before` and `place`.
///
/// The alternatives are tried in this order. The first one that exists and is not inside a moved
/// subtree is used. But a neighbor can have moved away from the other one: if `place` names the subtasks
/// of a task or a section, and of both neighbors only `before` is there, `before` is used. Positions are counted after the moved tasks are taken out; a position past the
/// end means the end.
public struct Destination: Sendable, Equatable {
    // `Optional`, because `TaskID?` is nil at first, and the initializer would copy all members.
    /// The task after which to insert, as its sibling. In rows, this is after the task's whole
    /// subtree.
    package var after: Optional<TaskID>
    /// The task before which to insert, as its sibling.
    package var before: Optional<TaskID>
    /// The siblings to join.
    package var place: Optional<Place>
    /// A place between visible rows, as a table view reports it (see ``RowLayout``). If it is
    /// given, the other members are ignored.
    package var rows: RowDestination?
    /// Whether the client undoes what it did: tasks that are put back are not refused for the list's limits.
    package var isUndo = false

    /// A place that needs no anchor: a group of siblings and an index among them.
    package struct Place: Sendable, Equatable {
        /// The siblings to join.
        package var siblings: Siblings
        /// The index among these siblings. nil means the end; a negative index means 0.
        package var position: Int?

        /// Creates a place among siblings; without a position, at their end.
        package init(_ siblings: Siblings, position: Int? = nil) {
            self.siblings = siblings
            self.position = position
        }
    }

    /// A group of tasks with the same parent and section.
    package enum Siblings: Sendable, Equatable {
        /// The subtasks of a task.
        case subtasks(of: TaskID)
        /// The top level of a section; nil means the tasks without a section.
        case section(SectionID?)
        /// The top level of the task's own section.
        case topLevel
        /// The task's own siblings. Of several tasks, the first one with the lowest level decides, so
        /// that no task goes deeper because of another one.
        case own

        /// The siblings of a task with this parent and section.
        package init(parent: TaskID?, section: SectionID?) {
            self = parent.map { .subtasks(of: $0) } ?? .section(section)
        }
    }

    /// Creates a destination. A move with an empty one is refused.
    package init(after: TaskID? = nil, before: TaskID? = nil, place: Place? = nil) {
        self.after = after
        self.before = before
        self.place = place
    }

    /// Creates a destination between visible rows.
    ///
    /// - Parameters:
    ///   - row: the row that the first moved task has afterwards.
    ///   - level: the depth that the tasks get; nil means the lowest of their depths, or the
    ///     nearest that is possible.
    public init(row: Int, level: Int? = nil) { self.init(RowDestination(.row(row), level: level)) }

    /// Creates a destination between visible rows.
    package init(_ rows: RowDestination) {
        self.init()
        self.rows = rows
    }
}

/// The part of a destination that was used.
package enum PlacedBy: String, Sendable {
    case after, before, parent, section, position
    /// The destination between visible rows.
    case row
}

/// A task that a move names.
package struct MovedTask: Sendable, Equatable {
    let node: NodeID
    /// The task in its new place.
    package internal(set) var task: ListTask
    /// The former placement.
    package let from: Placement

    /// - Parameter task: the task before the move.
    init(node: NodeID, task: ListTask) {
        self.node = node
        self.task = task
        from = task.placement
    }
}

/// The result of a move.
package struct MoveOutcome: Sendable, Equatable {
    /// The change in normal form; empty if nothing changed.
    package var operations: [ListOperation]
    /// The named tasks, in the order of the request.
    package var tasks: [MovedTask]
    /// The part of the destination that was used.
    package var placedBy: PlacedBy
    /// The tasks that the move collapsed.
    package var collapsed: [TaskID]

    /// Whether anything changed.
    package var changed: Bool { !operations.isEmpty }
}
