/// The number of top-level tasks of each section, and of all sections before it.
///
/// It is a forest of one level, with a node for each section. A node's weight is the number of the
/// section's top-level tasks. So a node's first row is the number of top-level tasks in the
/// sections before it. It is a value: a copy costs O(1).
struct TopLevelCounts: Sendable {
    /// The sections; the nodes have no children, only their weights.
    private(set) var order = Forest()

    /// The number of top-level tasks in all sections. O(1).
    var total: Int { order.rowCount }

    /// Bytes of memory. O(1).
    var byteCount: Int { order.byteCount }

    /// Adds a section at an index. O(log sections).
    mutating func insertSection(at position: Int, tasks: Int) {
        let section = order.insert(into: Forest.root, at: position, isRow: false)
        order.addRows(UInt32(truncatingIfNeeded: tasks), beneath: section.index)
    }

    /// Moves the section at an index to another index, which is counted without the section. O(log
    /// sections).
    mutating func moveSection(at position: Int, to target: Int) {
        order.move(section(at: position), into: Forest.root, at: target)
    }

    /// Removes the section at an index. O(log sections).
    mutating func removeSection(at position: Int) {
        order.remove(section(at: position)) { _ in }
    }

    /// Adds `change` to the number of tasks of the section at an index. O(log sections).
    mutating func add(_ change: Int, toSectionAt position: Int) {
        order.addRows(UInt32(truncatingIfNeeded: change), beneath: section(at: position).index)
    }

    /// The number of top-level tasks in the sections before an index. O(log sections).
    func tasks(beforeSectionAt position: Int) -> Int {
        order.rowsBefore(section(at: position)) ?? 0
    }

    private func section(at position: Int) -> NodeID {
        order.child(of: Forest.root, at: position)
    }
}
