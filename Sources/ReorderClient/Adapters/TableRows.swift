import ReorderEngine

/// The state of a list that a table view or a collection view displays, and the meaning of its index paths.
///
/// A drop is named by the ids that the person sees: the list may be newer than the table view.
package struct TableRows: Sendable {
    package private(set) var list: ReorderableList
    package let sections: [SectionID?]

    package init(_ list: ReorderableList, sections: [SectionID?]) {
        self.list = list
        self.sections = sections
    }

    /// The rows with the subtasks of a task hidden, as while it is dragged.
    package func folding(_ task: TaskID) -> TableRows {
        var folded = self
        folded.list.fold([task: true])
        return folded
    }

    /// The displayed rows. O(rows).
    package var order: RowOrder {
        RowOrder(
            sections: sections.map { section in
                let rows = list.rows(in: section) ?? 0..<0
                let tasks = list.tasks(fromRow: rows.lowerBound, limit: rows.count)
                return RowOrder.Section(id: section, rows: tasks.map(\.id))
            })
    }

    /// The number of rows of a section.
    package func rowCount(_ section: Int) -> Int { list.rows(in: sections[section])?.count ?? 0 }

    /// The index path of a visible task. O(log n).
    package func path(of task: TaskID) -> RowPath? {
        guard let placement = list.placement(of: task), let row = placement.row,
            let section = sections.firstIndex(of: placement.section),
            let first = list.rows(in: placement.section)?.lowerBound
        else { return nil }
        return RowPath(row: row - first, section: section)
    }

    /// Whether a row can be moved: it is not locked. O(log n).
    package func canLift(_ task: TaskID) -> Bool { (try? list.checkLift(.task(task))) != nil }

    /// The drop of a row at an index path. O(log n).
    ///
    /// - Parameters:
    ///   - path: the index path of the row afterwards. Only the row itself was taken out: its visible subtasks are still counted.
    ///   - levels: how many levels deeper than before; the drop gets the nearest level that the place allows.
    /// - Returns: nil if the rules refuse it.
    package func drop(_ task: TaskID, at path: RowPath, deeper levels: Int = 0) -> TableDrop? {
        guard sections.indices ~= path.section, let source = self.path(of: task),
            let layout = try? RowLayout(of: list, moving: .task(task)),
            let depth = list.task(task)?.depth
        else { return nil }
        let isBelow = source.section == path.section && source.row < path.row
        let section = sections[path.section]
        let target = RowTarget.offsetInSection(section, isBelow ? path.row + 1 : path.row)
        guard let gap = try? layout.gap(at: target), let possible = layout.levels(at: gap) else {
            return nil
        }
        let wanted = min(max(possible.lowerBound, depth + levels), possible.upperBound)
        let nearest = possible.sorted { abs($0 - wanted) < abs($1 - wanted) }
        for level in nearest {
            do throws(Refusal) {
                let destination = try layout.destination(at: gap, level: level)
                // Trying the move on a copy checks all rules, and copying costs O(1).
                var copy = list
                let outcome = try copy.move(MoveRequest(.task(task), to: destination))
                return TableDrop(
                    task: task, destination: destination, path: path, level: level,
                    isChange: outcome.changed)
            } catch .sectionFull {
                // Another level has another parent.
            } catch .parentFull {
            } catch {
                return nil
            }
        }
        return nil
    }

    /// Where a table view opens the gap for a row that hovers: the proposed place if the rules allow it, else the nearest allowed one in
    /// the direction of the row's own place. O(log n) for each place that is tried.
    package func target(of task: TaskID, proposed: RowPath) -> RowPath {
        guard let source = path(of: task) else { return proposed }
        var path = proposed
        for _ in 0..<Self.triedPlaces {
            guard path != source else { return source }
            if drop(task, at: path) != nil { return path }
            path = step(from: path, toward: source)
        }
        return source
    }

    /// A gesture calls it for each movement of the finger.
    private static let triedPlaces = 100

    private func step(from path: RowPath, toward source: RowPath) -> RowPath {
        if path.section == source.section {
            return RowPath(row: path.row + (path.row < source.row ? 1 : -1), section: path.section)
        }
        if path.section < source.section {
            return path.row < rowCount(path.section)
                ? RowPath(row: path.row + 1, section: path.section)
                : RowPath(row: 0, section: path.section + 1)
        }
        guard path.row == 0 else { return RowPath(row: path.row - 1, section: path.section) }
        let section = path.section - 1
        // The source is not counted in its own section.
        return RowPath(
            row: rowCount(section) - (section == source.section ? 1 : 0), section: section)
    }
}

/// An allowed drop of one row.
package struct TableDrop: Sendable {
    package let task: TaskID
    /// The place, by ids.
    package let destination: Destination
    /// The row's index path afterwards, in the rows that the table view displayed.
    package let path: RowPath
    /// The row's level afterwards.
    package let level: Int
    /// Whether the row gets another place or level.
    package let isChange: Bool
}
