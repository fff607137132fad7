import ReorderEngine
import ReorderJSON

@testable import ReorderClient

/// Counts how often clients did each thing, over all changes of a list.
struct ConvergenceHistory {
    /// A trace that exists at most once if each operation is applied at most once.
    enum Mark: Hashable {
        case task(TaskID), section(SectionID), taskTitle(String), sectionTitle(String)
        case listTitle(String)

        /// The trace that an intent leaves in the history.
        init?(_ intent: Intent) {
            switch intent {
            case .create(let content, _): self = .task(content.id)
            case .createSection(let section, _, _, _): self = .section(section)
            case .update(_, let changes):
                guard let title = changes.title else { return nil }
                self = .taskTitle(title)
            case .updateSection(_, let title, _): self = .sectionTitle(title ?? "")
            case .settings(let update):
                guard let title = update.title else { return nil }
                self = .listTitle(title)
            case .move, .collapse, .delete, .moveSection, .deleteSection: return nil
            }
        }
    }

    private(set) var marks: [Mark: Int] = [:]
    /// The number of moves of each task by each client.
    private(set) var moves: [String: [TaskID: Int]] = [:]
    private(set) var deletions: [TaskID: Int] = [:]
    /// The number of undone deletions.
    private(set) var returns: [TaskID: Int] = [:]
    private(set) var lastVersion = 1
    private(set) var isWithoutGap = true

    mutating func add(_ changes: [ChangeDocument]) {
        for change in changes {
            if change.version != lastVersion + 1 { isWithoutGap = false }
            lastVersion = change.version
            guard change.client != PlainHTTPClient.name else {
                for case .insert(let task) in change.operations {
                    returns[task.id, default: 0] += 1
                }
                continue
            }
            for operation in change.operations { add(operation, by: change.client ?? "") }
        }
    }

    /// Whether no task was deleted twice without being restored in between.
    var deletesOnce: Bool { deletions.allSatisfy { $1 <= 1 + returns[$0, default: 0] } }

    private mutating func add(_ operation: ListOperation, by client: String) {
        switch operation {
        case .insert(let task): marks[.task(task.id), default: 0] += 1
        case .sectionInsert(let section, _, _, _): marks[.section(section), default: 0] += 1
        case .update(_, let update):
            if let title = update.title { marks[.taskTitle(title), default: 0] += 1 }
        case .sectionUpdate(_, let title, _): marks[.sectionTitle(title), default: 0] += 1
        case .list(let update):
            if let title = update.title { marks[.listTitle(title), default: 0] += 1 }
        case .move(let task, _, _, _): moves[client, default: [:]][task, default: 0] += 1
        case .delete(let task): deletions[task, default: 0] += 1
        default: break
        }
    }
}
