import ReorderEngine
import ReorderJSON

/// Which tasks one person sees folded, in any lists: the content of a list of folds.
///
/// A task of a list of folds is an entry: its `data` names a task in the member `task`, and its own
/// `collapsed` says whether the person sees that task folded. If several entries name the same task,
/// the last one counts. Tasks without an entry are seen as stored.
package struct Folds: Sendable {
    /// A list of folds is read at each request that names it, so its size is limited.
    package static let maximumEntries = 1_000

    /// The list of folds.
    package let list: String
    /// The version of the list of folds.
    package let version: Int
    /// Whether the person sees the subtasks of a task hidden.
    package private(set) var states: [TaskID: Bool] = [:]
    /// The entries, by the tasks that they name.
    private var entries: [TaskID: TaskID] = [:]
    private let count: Int

    /// Whether the list has more than the maximum of entries. Then its content is not read.
    package var isTooLarge: Bool { count > Self.maximumEntries }

    init(_ list: VersionedList) {
        self.list = list.id
        version = list.version
        count = list.list.count
        guard !isTooLarge else { return }
        for entry in list.list.tasks {
            guard let task = entry.content.reference("task") else { continue }
            states[task] = entry.content.collapsed
            entries[task] = entry.id
        }
    }

    /// Folds or unfolds a task for this person.
    ///
    /// - Parameter makeID: returns the id of a new entry.
    /// - Returns: the command for the list of folds, and the result in the list as the person sees
    ///   it.
    /// - Throws: `listFull` if the list has no room for a new entry.
    package func fold(
        _ task: TaskID, _ isFolded: Bool, in list: VersionedList, makeID: () -> TaskID
    ) throws(ServiceError) -> (command: ListCommand, result: CommandResult) {
        var seen = list.list
        seen.fold(states)
        let (_, result) = try ListCommand.collapse(task, isFolded).apply(
            to: &seen, version: list.version)
        if let entry = entries[task] { return (.collapse(entry, isFolded), result) }
        guard count < Self.maximumEntries else { throw .listFull(limit: Self.maximumEntries) }
        let entry = TaskContent(
            id: makeID(), title: task, collapsed: isFolded, data: #"{"task":"\#(task)"}"#)
        return (.create(entry, at: Destination()), result)
    }
}

extension ListService {
    /// The durable state of a list of folds. Later runs of the request get the same state.
    package func folds(_ list: String, _ context: RequestContext) throws(ServiceError) -> Folds {
        try context.durable(\.folds) { () throws(ServiceError) in
            Folds(try versionedList(of: list, context))
        }
    }
}
