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

    /// Adds a section at an index and gives its handle, which is good until it is removed.
    /// O(log sections).
    mutating func insertSection(at position: Int, tasks: Int) -> UInt32 {
        let section = order.insert(into: Forest.root, at: position, isRow: false).index
        add(tasks, toSection: section)
        order.relocated.removeAll(keepingCapacity: true)
        return section
    }

    /// Moves a section to an index, counted without it. O(log sections).
    mutating func moveSection(_ section: UInt32, to position: Int) {
        order.move(NodeID(index: section), into: Forest.root, at: position)
        order.relocated.removeAll(keepingCapacity: true)
    }

    /// Removes a section. O(log sections).
    mutating func removeSection(_ section: UInt32) {
        order.remove(NodeID(index: section)) { _ in }
        order.relocated.removeAll(keepingCapacity: true)
    }

    /// Counts `change` more tasks in a section. O(log sections).
    mutating func add(_ change: Int, toSection section: UInt32) {
        order.addRows(UInt32(truncatingIfNeeded: change), beneath: section)
    }

    /// The top-level tasks of the sections before this one. O(log sections).
    func tasks(beforeSection section: UInt32) -> Int {
        order.rowsBefore(NodeID(index: section)) ?? 0
    }
}
