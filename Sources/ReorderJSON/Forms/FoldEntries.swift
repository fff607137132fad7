import ReorderEngine

/// The entries of a list of folds: which tasks one person sees folded, in any lists.
///
/// A task of a list of folds is an entry: its `data` names a task in the member `task`, and its own
/// `collapsed` says whether the person sees that task folded. If several entries name the same task,
/// the last one counts. Tasks without an entry are seen as stored.
package struct FoldEntries: Sendable {
    /// Whether the person sees the subtasks of a task hidden.
    package private(set) var states: [TaskID: Bool] = [:]
    /// The entries, by the tasks that they name.
    private var entries: [TaskID: TaskID] = [:]

    /// No entries.
    package init() {}

    /// The entries of a list of folds. O(tasks).
    package init(of list: ReorderableList) {
        for entry in list.tasks {
            guard let task = entry.content.reference("task") else { continue }
            states[task] = entry.content.collapsed
            entries[task] = entry.id
        }
    }

    /// The id of the entry that counts for a task, or nil if the task has no entry. O(1).
    package func entry(of task: TaskID) -> TaskID? { entries[task] }

    /// A new entry.
    package static func entry(id: TaskID, of task: TaskID, isFolded: Bool) -> TaskContent {
        TaskContent(id: id, title: task, collapsed: isFolded, data: #"{"task":"\#(task)"}"#)
    }
}
