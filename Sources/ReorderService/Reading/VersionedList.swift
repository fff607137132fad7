import ReorderEngine

/// A list at a version. It never changes.
package struct VersionedList: Sendable {
    package var id: String
    package var version: Int
    package var list: ReorderableList
}
