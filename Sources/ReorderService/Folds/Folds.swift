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
    fileprivate let entries: FoldEntries
    fileprivate let count: Int

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
    /// - Returns: the change of the list of folds, and the result in the list as the person sees it.
    package func fold(
        _ task: TaskID, _ isFolded: Bool, in list: VersionedList, makeID: () -> TaskID
    ) throws(ServiceError) -> (fold: Fold, result: CommandResult) {
        var seen = list.list
        seen.fold(states)
        // Only the list of folds changes, so the task keeps its times.
        seen.changeTime = nil
        let (_, result) = try ListCommand.collapse(task, isFolded).apply(
            to: &seen, version: list.version)
        return (Fold(task: task, isFolded: isFolded, newEntry: makeID(), seen: self), result)
    }
}

/// Changes the entry of a task in a list of folds, or adds one.
package struct Fold: Sendable {
    fileprivate let task: TaskID
    fileprivate let isFolded: Bool
    /// The id of the entry if it must be added.
    fileprivate let newEntry: TaskID
    /// The list of folds as the request has read it.
    fileprivate let seen: Folds

    /// Returns the command for the list of folds as it is now. Other requests can have added the
    /// entry, or the last one for which there was room.
    ///
    /// - Throws: `listFull` if the list has no room for a new entry.
    func command(on list: CachedList) throws(ServiceError) -> ListCommand {
        var folds = seen
        if list.state.version != seen.version {
            folds = Folds(
                VersionedList(id: list.id, version: list.state.version, list: list.state.list))
        }
        if let entry = folds.entries.entry(of: task) { return .collapse(entry, isFolded) }
        guard folds.count < Folds.maximumEntries else {
            throw .listFull(limit: Folds.maximumEntries)
        }
        let entry = FoldEntries.entry(id: newEntry, of: task, isFolded: isFolded)
        return .create(entry, at: Destination())
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
