import ReorderEngine
import ReorderJSON

/// Which tasks one person sees folded, in any lists: the content of a list of folds.
package struct Folds: Sendable {
    /// A list of folds is read at each request that names it, so its size is limited.
    package static let maximumEntries = 1_000

    /// The list of folds.
    package let list: String
    /// The version of the list of folds.
    package let version: Int
    private let entries: FoldEntries
    private let count: Int

    /// Whether the person sees the subtasks of a task hidden.
    package var states: [TaskID: Bool] { entries.states }

    /// Whether the list has more than the maximum of entries. Then its content is not read.
    package var isTooLarge: Bool { count > Self.maximumEntries }

    init(_ list: VersionedList) {
        self.list = list.id
        version = list.version
        count = list.list.count
        entries = count > Self.maximumEntries ? FoldEntries() : FoldEntries(of: list.list)
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
        if let entry = entries.entry(of: task) { return (.collapse(entry, isFolded), result) }
        guard count < Self.maximumEntries else { throw .listFull(limit: Self.maximumEntries) }
        let entry = FoldEntries.entry(id: makeID(), of: task, isFolded: isFolded)
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
