import ReorderEngine
import ReorderService

extension Problem {
    /// The problem for a request that the rules of the list refuse.
    ///
    /// - Parameter tasks: the current state of the tasks that the request named.
    init(_ refusal: Refusal, of tasks: NamedTasks) {
        switch refusal {
        case .taskNotFound(let id):
            self.init(.taskNotFound, "Task \"\(id)\" does not exist in this list.")
        case .sectionNotFound(let id):
            self.init(.sectionNotFound, "Section \"\(id)\" does not exist in this list.")
        case .idTaken(let id): self.init(.idTaken, "The id \"\(id)\" is already in use.")
        case .anchorGone:
            self.init(.anchorGone, "None of the given destinations exists any more.")
        case .rowNotFound(let row, let count):
            let rows = count == 1 ? "is 1 visible row" : "are \(count) visible rows"
            self.init(.anchorGone, "Row \(row) does not exist: there \(rows).")
        case .rowNotInSection(let row, let section, let rows):
            let place = section.map { "section \"\($0)\"" } ?? "the tasks without a section"
            self.init(
                .anchorGone,
                "Row \(row) is not in \(place): there, the task can have \(rows.text("row")).")
        case .levelNotPossible(let level, let levels):
            self.init(
                .levelNotPossible,
                "Level \(level) is not possible there: the task can have \(levels.text("level")).")
        case .cycle:
            self.init(.cycle, "\(tasks.subject) can't be moved into its own subtree.")
        case .locked:
            self.init(
                .locked,
                tasks.isAnyLocked
                    ? "\(tasks.subject) is locked, so it can't be moved or deleted."
                    : "A locked row can't be moved, deleted or displaced.")
        case .notSiblings:
            self.init(
                .notSiblings,
                "\(tasks.subject) can't get another parent or section. In this list, tasks can only be "
                    + "moved among their siblings.")
        case .depthLimit:
            self.init(
                .depthLimit,
                "\(tasks.subject) can't be placed there. Tasks can be nested at most "
                    + "\(ReorderableList.maximumLevels) levels deep.")
        case .maxDepth:
            self.init(
                .maxDepth,
                "\(tasks.subject) can't be placed there. It would be below the last level that this "
                    + "list allows.")
        case .sectionFull:
            self.init(
                .sectionFull,
                "The section would have more tasks than this list allows in a section.")
        case .parentFull:
            self.init(
                .parentFull, "A task would have more subtasks than this list allows.")
        }
        named = tasks
    }
}

extension NamedTasks {
    /// The beginning of a sentence about the task, or about one of the tasks.
    fileprivate var subject: String {
        switch self {
        case .one(let task?): "Task \"\(task.id)\""
        case .several(let tasks) where tasks.count == 1: "Task \"\(tasks[0].id)\""
        case .one(nil), .several: "A task"
        }
    }

    fileprivate var isAnyLocked: Bool {
        switch self {
        case .one(let task): task.map { $0.content.locked || $0.isLockedByOffset } ?? false
        case .several(let tasks): tasks.contains { $0.content.locked || $0.isLockedByOffset }
        }
    }
}

extension ClosedRange<Int> {
    /// For example "row 2" or "rows 2 to 4".
    fileprivate func text(_ noun: String) -> String {
        lowerBound == upperBound
            ? "\(noun) \(lowerBound)" : "\(noun)s \(lowerBound) to \(upperBound)"
    }
}
