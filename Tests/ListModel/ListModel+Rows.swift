import ReorderEngine

/// Destinations between visible rows.
extension ListModel {
    /// The moved tasks, for a destination between the rows that stay.
    package struct Lifted {
        /// The moved tasks that are visible in the list, with their visible subtasks.
        package var rows: [ListTask] = []
        /// The lowest depth of the tasks.
        package var depth: Int
        /// The levels of the highest subtree.
        package var levels: Int
        /// For each task: its depth in this list, or nil if it comes from another list; and its
        /// levels.
        package var sizes: [(depth: Int?, levels: Int)]
    }

    package func lifted(_ roots: [ListTask]) -> Lifted {
        let inside = roots.flatMap { subtree(of: $0.id) }
        return Lifted(
            rows: rows.filter { inside.contains($0.id) }, depth: roots.map(\.depth).min() ?? 0,
            levels: roots.compactMap { node($0.id)?.levels }.max() ?? 1,
            sizes: roots.map { ($0.depth, node($0.id)?.levels ?? 1) })
    }

    /// Call it on the list without the lifted tasks.
    package func decide(_ destination: RowDestination, lifted: Lifted) throws(Refusal) -> Decision {
        let (section, row) = try place(destination.target, lifted: lifted)
        let above = rows.prefix(row).last.flatMap { $0.placement.section == section ? $0 : nil }
        let below = rows.dropFirst(row).first.flatMap { $0.placement.section == section ? $0 : nil }
        let highest = above.map { $0.content.collapsed ? $0.depth : $0.depth + 1 } ?? 0
        let levels = (below?.depth ?? 0)...highest
        if let level = destination.level, !levels.contains(level) {
            throw .levelNotPossible(level, levels: levels)
        }
        let allowed = lifted.sizes.map { size in
            max(size.depth ?? .min, (settings.maxDepth ?? 16) - size.levels)
        }
        let fitting = min(lifted.depth, highest, 16 - lifted.levels, allowed.min() ?? 16)
        let level = destination.level ?? max(levels.lowerBound, fitting)
        let siblingOrParent = rows.prefix(row).last {
            $0.placement.section == section && $0.depth <= level
        }
        guard let found = siblingOrParent else {
            return Decision(place: (.top(section), 0), placedBy: .row)
        }
        let place: (Siblings, Int) =
            found.depth == level
            ? (siblings(of: found), found.placement.position + 1) : (.under(found.id), 0)
        return Decision(place: place, placedBy: .row)
    }

    private func place(
        _ target: RowTarget, lifted: Lifted
    ) throws(Refusal) -> (section: SectionID?, row: Int) {
        switch target {
        case .row(let row):
            let row = min(max(0, row), rows.count)
            return (section(atRow: row, lifted: lifted), row)
        case .rowInSection(let row, let section):
            let row = min(max(0, row), rows.count)
            let rows = try gaps(in: section)
            guard rows.contains(row) else { throw .rowNotInSection(row, section, rows: rows) }
            return (section, row)
        case .path(let section, let row):
            let rows = try gaps(in: section)
            return (section, rows.lowerBound + min(max(0, row), rows.count - 1))
        case .offset(let offset):
            let offset = min(max(0, offset), rows.count + lifted.rows.count)
            let row = offset - lifted.rows.count { $0.placement.row ?? 0 < offset }
            return (section(atRow: row, lifted: lifted), row)
        case .offsetInSection(let section, let offset):
            let rows = try gaps(in: section)
            let own = lifted.rows.filter { $0.placement.section == section }
            let offset = min(max(0, offset), rows.count - 1 + own.count)
            // The section's first row in the list with the lifted tasks.
            let start = rows.lowerBound + lifted.rows.count { isBefore($0, section) }
            let row = offset - own.count { ($0.placement.row ?? 0) - start < offset }
            return (section, rows.lowerBound + row)
        }
    }

    private func isBefore(_ task: ListTask, _ section: SectionID?) -> Bool {
        sections.prefix { $0.id != section }.contains { $0.id == task.placement.section }
    }

    private func section(atRow row: Int, lifted: Lifted) -> SectionID? {
        let sections = rows.map(\.placement.section)
        guard let own = lifted.rows.first, let current = own.placement.row else {
            return sections.dropFirst(row).first ?? sections.last ?? nil
        }
        if row == current { return own.placement.section }
        return sections[row > current ? row - 1 : row]
    }

    /// The rows that a task in this section can have.
    private func gaps(in section: SectionID?) throws(Refusal) -> ClosedRange<Int> {
        guard let index = sections.firstIndex(where: { $0.id == section }) else {
            throw .anchorGone
        }
        let before = sections.prefix(index).map(\.id)
        let start = rows.count { before.contains($0.placement.section) }
        return start...start + rows.count { $0.placement.section == section }
    }
}
