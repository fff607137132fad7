import ReorderEngine

/// A drop of tasks in a list.
package struct SmallDrop: Sendable, Hashable {
    /// The moved tasks, in the order in which they arrive.
    package var tasks: [TaskID]
    package var section: Int
    /// The number of visible rows above that stay, counted in the whole list.
    package var row: Int
    /// nil: the lowest level of the tasks, or the nearest.
    package var level: Int?

    package init(tasks: [TaskID], section: Int, row: Int, level: Int? = nil) {
        self.tasks = tasks
        self.section = section
        self.row = row
        self.level = level
    }
}

/// Why a drop is refused.
package enum SmallRefusal: Error {
    case levelNotPossible, locked, notSiblings, maxDepth, sectionFull, parentFull
}

extension SmallList {
    /// The list without the tasks and their subtrees.
    package func without(_ tasks: [TaskID]) -> SmallList {
        let gone = tasks.flatMap { Array(subtree(of: index(of: $0))) }
        var rest = self
        rest.rows = rows.indices.filter { !gone.contains($0) }.map { rows[$0] }
        return rest
    }

    /// The rows that a task dropped in a section can have. Call it on the list without the tasks.
    package func gaps(in section: Int) -> ClosedRange<Int> {
        let sections = visible.map { rows[$0].section }
        let start = sections.count { $0 < section }
        return start...start + sections.count { $0 == section }
    }

    /// The index in `rows` of a gap: before the visible row with this number if it is in the section,
    /// else after all rows of the section.
    private func index(ofRow row: Int, in section: Int) -> Int {
        if let index = visible.dropFirst(row).first, rows[index].section == section {
            return index
        }
        return rows.firstIndex { $0.section > section } ?? rows.count
    }

    /// The levels at which a row can be inserted: it is visible, it is at most one level deeper than
    /// the row above, and no other row gets another parent.
    package func levels(atRow row: Int, in section: Int) -> [Int] {
        let index = index(ofRow: row, in: section)
        let parents = rows.indices.map { parent(of: $0).map { rows[$0].id } }
        return (0...4).filter { level in
            var filled = self
            filled.rows.insert(Row(id: "new", depth: level, section: section), at: index)
            let parent = filled.parent(of: index)
            guard level == (parent.map { rows[$0].depth + 1 } ?? 0), filled.isVisible(index) else {
                return false
            }
            let new = filled.rows.indices.filter { $0 != index }.map { other in
                filled.parent(of: other).map { filled.rows[$0].id }
            }
            return new == parents
        }
    }

    /// The list after a drop.
    package func after(_ drop: SmallDrop) throws(SmallRefusal) -> SmallList {
        let rest = without(drop.tasks)
        let levels = rest.levels(atRow: drop.row, in: drop.section)
        let moved = drop.tasks.map { index(of: $0) }
        let own = moved.map { rows[$0].depth }.min() ?? 0
        let allowed = levels.filter { level in
            moved.allSatisfy { level <= rows[$0].depth || level + height(of: $0) <= maxDepth }
        }
        let nearest = allowed.min { abs($0 - own) < abs($1 - own) } ?? levels.first ?? -1
        let level = drop.level ?? nearest
        guard levels.contains(level) else { throw .levelNotPossible }
        let locked = topLevel.prefix(elementsOffset)
        for index in moved where rows[index].isLocked || locked.contains(place(of: index)) {
            throw .locked
        }
        var result = rest
        var position = rest.index(ofRow: drop.row, in: drop.section)
        for index in moved {
            for row in rows[subtree(of: index)] {
                var row = row
                row.depth += level - rows[index].depth
                row.section = drop.section
                result.rows.insert(row, at: position)
                position += 1
            }
        }
        if moves == .siblings {
            for index in moved where family(of: index) != result.family(of: rows[index].id) {
                throw .notSiblings
            }
        }
        try result.checkLimits(after: self)
        guard result.topLevel.starts(with: locked) else { throw .locked }
        return result
    }

    /// The levels at which a drop of one row exceeds no limit; nil if the list has no limits. If there is
    /// none, all levels that the rows allow.
    package func allowedLevels(of drop: SmallDrop) -> [Int]? {
        guard min(maxDepth, maxTasksPerSection, tasksPerParent) < .max else { return nil }
        let levels = without(drop.tasks).levels(atRow: drop.row, in: drop.section)
        let allowed = levels.filter { level in
            var drop = drop
            drop.level = level
            return (try? after(drop)) != nil
        }
        return allowed.isEmpty ? levels : allowed
    }

    /// The number of levels of a row with its subtasks.
    private func height(of index: Int) -> Int {
        (subtree(of: index).map { rows[$0].depth }.max() ?? 0) - rows[index].depth + 1
    }

    /// Checks that a drop has exceeded no limit, and added to no excess.
    private func checkLimits(after before: SmallList) throws(SmallRefusal) {
        for row in rows where row.depth >= maxDepth {
            if row.depth > before.rows[before.index(of: row.id)].depth { throw .maxDepth }
        }
        for section in 1..<sections + 1 {
            let (count, former) = (topLevelCount(in: section), before.topLevelCount(in: section))
            if count > max(former, maxTasksPerSection) { throw .sectionFull }
        }
        for row in rows {
            let (count, former) = (subtaskCount(of: row.id), before.subtaskCount(of: row.id))
            if count > max(former, tasksPerParent) { throw .parentFull }
        }
    }

    private func topLevelCount(in section: Int) -> Int {
        topLevel.count { $0.section == section }
    }

    private func subtaskCount(of task: TaskID) -> Int {
        rows.indices.count { parent(of: $0) == index(of: task) }
    }

    private struct Place: Equatable {
        var task: TaskID
        var section: Int
    }

    private func place(of index: Int) -> Place {
        Place(task: rows[index].id, section: rows[index].section)
    }

    private var topLevel: [Place] {
        rows.indices.filter { rows[$0].depth == 0 }.map { place(of: $0) }
    }

    /// A row's section and parent.
    private struct Family: Equatable {
        var section: Int
        var parent: TaskID?
    }

    private func family(of index: Int) -> Family {
        Family(section: rows[index].section, parent: parent(of: index).map { rows[$0].id })
    }

    private func family(of task: TaskID) -> Family { family(of: index(of: task)) }

    /// The section of a drop that names only a row: that of the row that the task passes.
    package func section(ofRow row: Int, dropping tasks: [TaskID]) -> Int {
        let rest = without(tasks)
        let sections = rest.visible.map { rest.rows[$0].section }
        let taken = tasks.map { index(of: $0) }.filter { isVisible($0) }.min()
        guard let taken else {
            return row < sections.count ? sections[row] : sections.last ?? 0
        }
        let current = visible.count { $0 < taken }
        if row == current { return rows[taken].section }
        return row > current ? sections[row - 1] : sections[row]
    }

    /// The row of a drop before a row that is counted with the moved rows.
    package func row(ofOffset offset: Int, dropping tasks: [TaskID]) -> Int {
        let rest = without(tasks)
        return visible.prefix(offset).count { rest.index(of: rows[$0].id) >= 0 }
    }
}
