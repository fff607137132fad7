/// The numbers of the top-level tasks, counted across the sections.
///
/// Only `elementsOffset` needs the numbers of each section. So a list creates `topLevelCounts` when
/// its `elementsOffset` first gets a value other than 0. `openTopLevelCount` is always kept.
extension ReorderableList {
    /// The number of top-level tasks in all sections. Needs `topLevelCounts` if there are sections.
    /// O(1).
    var topLevelTaskCount: Int {
        forest.childCount(of: sectionTable.unsectioned) + (topLevelCounts?.total ?? 0)
    }

    /// The number of top-level tasks in the sections before a section. Needs `topLevelCounts` if
    /// there are sections. O(log sections).
    func topLevelTasks(before section: NodeID) -> Int {
        guard section != sectionTable.unsectioned else { return 0 }
        let unsectioned = forest.childCount(of: sectionTable.unsectioned)
        return unsectioned
            + (topLevelCounts?.tasks(beforeSectionAt: sectionPosition(of: section)) ?? 0)
    }

    /// Creates `topLevelCounts` if `elementsOffset` needs them. O(sections · log sections) once in
    /// the life of a list, O(1) after that.
    mutating func countTopLevelTasks() {
        guard settings.elementsOffset > 0, topLevelCounts == nil else { return }
        var counts = TopLevelCounts()
        for (position, section) in sectionNodes.dropFirst().enumerated() {
            counts.insertSection(at: position, tasks: forest.childCount(of: section))
        }
        topLevelCounts = counts
    }

    // MARK: Changes of the forest that update the counts

    /// Moves a task's node. O(log n).
    mutating func relocate(_ node: NodeID, into parent: NodeID, at position: Int) {
        let former = forest.parent(of: node)
        forest.move(node, into: parent, at: position)
        if let former, former != parent {
            countTopLevel(-1, in: former, isOpen: !table.isDone(node))
            countTopLevel(1, in: parent, isOpen: !table.isDone(node))
        }
    }

    /// Adds `change` to the numbers of top-level tasks of `parent`, if it is a section. O(log
    /// sections).
    ///
    /// - Parameter isOpen: whether the task is not done.
    mutating func countTopLevel(_ change: Int, in parent: NodeID, isOpen: Bool) {
        guard isSection(parent) else { return }
        if isOpen { openTopLevelCount += change }
        guard topLevelCounts != nil, parent != sectionTable.unsectioned else { return }
        let section = sectionPosition(of: parent)
        topLevelCounts?.add(change, toSectionAt: section)
    }

    /// Counts a task that becomes done, or open again, before it does. O(1).
    mutating func countDone(_ node: NodeID, _ done: Bool) {
        guard table.isDone(node) != done, let parent = forest.parent(of: node), isSection(parent)
        else { return }
        openTopLevelCount += done ? -1 : 1
    }

    /// Adds an empty section at an index among the sections. O(log sections).
    mutating func insertSection(
        _ section: SectionID, title: String, data: String?, maxTasks: Int?, at position: Int
    ) {
        let node = forest.insert(into: Forest.root, at: position + 1, isRow: false)
        sectionTable.insert(node, id: section, title: title, data: data, maxTasks: maxTasks)
        topLevelCounts?.insertSection(at: position, tasks: 0)
    }

    /// Moves a section to an index among the other sections. O(log sections).
    mutating func relocateSection(_ node: NodeID, to position: Int) {
        let current = sectionPosition(of: node)
        topLevelCounts?.moveSection(at: current, to: position)
        forest.move(node, into: Forest.root, at: position + 1)
    }

    /// Removes an empty section. O(log sections).
    mutating func removeSection(_ node: NodeID) {
        let position = sectionPosition(of: node)
        topLevelCounts?.removeSection(at: position)
        forest.remove(node) { sectionTable.remove($0) }
    }

    /// The first violated invariant, or nil. O(sections · log sections).
    func checkTopLevelCounts() -> String? {
        guard let topLevelCounts else {
            return settings.elementsOffset > 0 ? "the top-level tasks are not counted" : nil
        }
        guard topLevelCounts.order.childCount(of: Forest.root) == sectionTable.nodes.count else {
            return "the top-level tasks of other sections are counted"
        }
        var before = 0
        for node in sectionNodes {
            guard topLevelTasks(before: node) == before else {
                return "\(before) tasks before a section, counted \(topLevelTasks(before: node))"
            }
            before += forest.childCount(of: node)
        }
        guard topLevelTaskCount == before else {
            return "\(before) top-level tasks, counted \(topLevelTaskCount)"
        }
        return nil
    }
}
