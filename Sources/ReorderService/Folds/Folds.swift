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
    /// Whether the person sees the subtasks of a task hidden.
    package let states: [TaskID: Bool]
    private let count: Int

    /// Whether the list has more than the maximum of entries. Then its content is not read.
    package var isTooLarge: Bool { count > Self.maximumEntries }

    package init(_ list: VersionedList) {
        self.list = list.id
        version = list.version
        count = list.list.count
        states = count > Self.maximumEntries ? [:] : FoldEntries(of: list.list).states
    }
}

extension ReorderableList {
    /// The work of showing the list with these folds, as a number of tasks. Each fold can copy
    /// several pages of memory.
    func costOfFolding(_ folds: [TaskID: Bool]) -> Int { 20 * folds.keys.count { contains($0) } }
}

extension VersionedList {
    /// The list as a person with these folds sees it.
    package func seen(with folds: Folds) -> VersionedList {
        var seen = self
        seen.list.fold(folds.states)
        return seen
    }
}
