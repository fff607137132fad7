/// How many top-level tasks each section has, and so how many stand before it.
///
/// A forest of one level: a node for each section, in the sections' order, that weighs as many rows
/// as the section has tasks at its top level. The first row of a node is then the number of
/// top-level tasks in the sections before it. A value: a copy costs O(1).
struct TopLevelCounts: Sendable {
    /// The sections; the nodes have no children, only their weights.
    private(set) var order = Forest()

    /// Top-level tasks of all sections. O(1).
    var total: Int { order.rowCount }

    /// Bytes of memory. O(1).
    var byteCount: Int { order.byteCount }

    /// Adds a section at an index. O(log sections).
    mutating func insertSection(at position: Int, tasks: Int) {
        let section = order.insert(into: Forest.root, at: position, isRow: false)
        order.addRows(UInt32(truncatingIfNeeded: tasks), beneath: section.index)
    }

    /// Moves the section at an index to another one, counted without it. O(log sections).
    mutating func moveSection(at position: Int, to target: Int) {
        order.move(section(at: position), into: Forest.root, at: target)
    }

    /// Removes the section at an index. O(log sections).
    mutating func removeSection(at position: Int) {
        order.remove(section(at: position)) { _ in }
    }

    /// Counts `change` more tasks in the section at an index. O(log sections).
    mutating func add(_ change: Int, toSectionAt position: Int) {
        order.addRows(UInt32(truncatingIfNeeded: change), beneath: section(at: position).index)
    }

    /// The top-level tasks of the sections before an index. O(log sections).
    func tasks(beforeSectionAt position: Int) -> Int {
        order.rowsBefore(section(at: position)) ?? 0
    }

    private func section(at position: Int) -> NodeID {
        order.child(of: Forest.root, at: position)
    }
}
