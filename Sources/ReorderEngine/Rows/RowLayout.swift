/// The visible rows of a list without the tasks that move, and the gaps between the rows, into which
/// these tasks can be dropped.
///
/// The visible rows are a sequence, divided by the headers of the sections. The moved tasks with
/// their visible subtasks are taken out. What stays has gaps: a ``Gap`` is a section and a row. A
/// drop is a gap and a level: the depth of the moved task.
///
/// At a gap, the levels from that of the row below to one more than that of the row above are
/// possible. Rows of other sections do not matter: without a row below, the lowest level is 0;
/// without a row above, the highest. Below a collapsed row, the highest level is the row's own. So
/// the moved task is afterwards visible at the row of the gap, and no other task gets another
/// parent.
///
/// It is a value: it does not see later changes of the list. Each call costs O(log n).
public struct RowLayout: Sendable {
    /// A place between two rows of a section, or at one of its ends.
    public struct Gap: Sendable, Hashable {
        /// The section; nil for the tasks without one.
        public var section: SectionID?
        /// The row that a task dropped here has, counted in the whole list: the number of rows that
        /// stay above.
        public var row: Int

        /// Creates a gap.
        public init(section: SectionID?, row: Int) {
            self.section = section
            self.row = row
        }
    }

    /// The list, with the moved tasks.
    package let list: ReorderableList
    /// The moved tasks, if they are in this list.
    let roots: SubtreeRoots
    let taken: TakenRows
    /// The section of the highest visible row that is taken out.
    private let ownSection: NodeID?
    /// The depth of the outermost moved task.
    let depth: Int
    /// The highest level that the limits on levels allow.
    let highestLevel: Int

    /// The layout of a list from which tasks are taken out to be moved in it. O(log n) for each task.
    ///
    /// - Throws: `taskNotFound`, `rowNotFound` or `sectionNotFound`.
    package init(of list: ReorderableList, moving subject: MoveRequest.Subject) throws(Refusal) {
        self.init(of: list, moving: try list.resolve(subject).roots)
    }

    /// The layout of a list into which tasks of another list move. O(log n) for each task.
    ///
    /// - Throws: `taskNotFound`, `rowNotFound` or `sectionNotFound`.
    package init(
        of list: ReorderableList, receiving subject: MoveRequest.Subject,
        from other: ReorderableList
    ) throws(Refusal) {
        self.init(of: list, receiving: try other.resolve(subject).roots, from: other)
    }

    init(of list: ReorderableList, moving roots: SubtreeRoots) {
        var rows: [Range<Int>] = []
        var (first, ownSection): (Int, NodeID?) = (.max, nil)
        for root in roots {
            guard let row = list.forest.row(of: root) else { continue }
            rows.append(row..<row + 1 + list.forest.visibleDescendants(of: root))
            if row < first { (first, ownSection) = (row, list.sectionNode(above: root)) }
        }
        self.init(
            list, roots, TakenRows(rows), ownSection, depth: roots.depth(in: list),
            highestLevel: list.highestLevel(moving: roots))
    }

    init(of list: ReorderableList, receiving roots: SubtreeRoots, from other: ReorderableList) {
        self.init(
            list, .none, TakenRows([]), nil, depth: roots.depth(in: other),
            highestLevel: list.highestLevel(receiving: roots, from: other))
    }

    private init(
        _ list: ReorderableList, _ roots: SubtreeRoots, _ taken: TakenRows, _ ownSection: NodeID?,
        depth: Int, highestLevel: Int
    ) {
        self.list = list
        self.roots = roots
        self.taken = taken
        self.ownSection = ownSection
        self.depth = depth
        self.highestLevel = highestLevel
    }

    /// The number of rows that stay. O(1).
    package var rowCount: Int { list.rowCount - taken.count }

    /// The rows of the gaps in a section, from the section's start to its end; nil if the section
    /// does not exist. An empty section has one gap.
    public func rows(in section: SectionID?) -> ClosedRange<Int>? {
        list.sectionTable.node(for: section).map { rows(in: $0) }
    }

    /// The gap of a target.
    ///
    /// - Throws: `anchorGone` if the target's section does not exist; `rowNotInSection`.
    package func gap(at target: RowTarget) throws(Refusal) -> Gap {
        let (section, row) = try place(of: target)
        return Gap(section: list.sectionTable.id(of: section), row: row)
    }

    // MARK: Nodes

    func rows(in section: NodeID) -> ClosedRange<Int> {
        let rows = list.rows(in: section)
        return taken.staying(above: rows.lowerBound)...taken.staying(above: rows.upperBound)
    }

    func place(of target: RowTarget) throws(Refusal) -> (section: NodeID, row: Int) {
        switch target {
        case .row(let row):
            let row = min(max(0, row), rowCount)
            return (section(atRow: row), row)
        case .rowInSection(let row, let section):
            let row = min(max(0, row), rowCount)
            let node = try node(of: section)
            let rows = rows(in: node)
            guard rows.contains(row) else { throw .rowNotInSection(row, section, rows: rows) }
            return (node, row)
        case .path(let section, let row):
            let node = try node(of: section)
            let rows = rows(in: node)
            return (node, rows.lowerBound + min(max(0, row), rows.count - 1))
        case .offset(let offset):
            let row = taken.staying(above: min(max(0, offset), list.rowCount))
            return (section(atRow: row), row)
        case .offsetInSection(let section, let offset):
            let node = try node(of: section)
            let rows = list.rows(in: node)
            return (node, taken.staying(above: rows.lowerBound + min(max(0, offset), rows.count)))
        }
    }

    /// The section of a gap, if only its row is named.
    private func section(atRow row: Int) -> NodeID {
        if let own = taken.first, let ownSection {
            if row == own { return ownSection }
            return section(ofStaying: row > own ? row - 1 : row)
        }
        if rowCount == 0 { return list.sectionTable.unsectioned }
        return section(ofStaying: min(row, rowCount - 1))
    }

    private func section(ofStaying index: Int) -> NodeID { path(toStaying: index)[0] }

    private func node(of section: SectionID?) throws(Refusal) -> NodeID {
        guard let node = list.sectionTable.node(for: section) else { throw .anchorGone }
        return node
    }

    /// The section, the ancestors, and the node of a staying row.
    func path(toStaying index: Int) -> [NodeID] {
        var path: [NodeID] = []
        let row = taken.row(ofStaying: index)
        let location = list.forest.location(atRow: row) { path.append($0.node) }
        return path + [location.node]
    }
}

extension SubtreeRoots {
    /// The depth of the outermost root.
    fileprivate func depth(in list: ReorderableList) -> Int {
        outermost(in: list).map { list.depth(of: $0) } ?? 0
    }
}
