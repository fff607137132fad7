/// A list in the bin: a deleted list whose content the store still has.
package struct BinEntry: Sendable, Equatable {
    package var id: String
    package var title: String
    /// The number of tasks that it had.
    package var count: Int
    /// The version that deleted it: the list's last version.
    package var version: Int
    /// The time of the deletion, in milliseconds since 1970.
    package var deletedAt: Int64
    /// The list at the version before; nil if it was not read.
    package var content: LoadedList.Content?

    package init(
        id: String, title: String, count: Int, version: Int, deletedAt: Int64,
        content: LoadedList.Content? = nil
    ) {
        self.id = id
        self.title = title
        self.count = count
        self.version = version
        self.deletedAt = deletedAt
        self.content = content
    }
}
