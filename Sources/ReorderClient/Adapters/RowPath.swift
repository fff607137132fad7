import ReorderEngine

/// An index path: the index of a section, and of a row in it.
package struct RowPath: Hashable, Sendable {
    package var section: Int
    package var row: Int

    package init(row: Int, section: Int) {
        self.row = row
        self.section = section
    }
}

/// The ids of the rows of a table view or a collection view, by section.
package struct RowOrder: Equatable, Sendable {
    package struct Section: Equatable, Sendable {
        package let id: SectionID?
        package var rows: [TaskID]
    }

    package var sections: [Section]

    package subscript(path: RowPath) -> TaskID? {
        guard sections.indices ~= path.section,
            sections[path.section].rows.indices ~= path.row
        else { return nil }
        return sections[path.section].rows[path.row]
    }

    /// The order after one row was taken out and inserted again, as a table view does before it calls `moveRowAt`. O(rows).
    package func moving(_ source: RowPath, to target: RowPath) -> RowOrder {
        guard let task = self[source], sections.indices ~= target.section else { return self }
        var order = self
        order.sections[source.section].rows.remove(at: source.row)
        let row = min(max(0, target.row), order.sections[target.section].rows.count)
        order.sections[target.section].rows.insert(task, at: row)
        return order
    }

    /// The order without the rows that follow a row. O(rows of the section).
    ///
    /// - Returns: nil if the row is another task.
    func removing(_ count: Int, after path: RowPath, of task: TaskID) -> RowOrder? {
        guard self[path] == task, path.row + count < sections[path.section].rows.count else {
            return nil
        }
        var order = self
        order.sections[path.section].rows.removeSubrange(path.row + 1..<path.row + 1 + count)
        return order
    }

    package func path(of task: TaskID) -> RowPath? {
        for (section, content) in sections.enumerated() {
            if let row = content.rows.firstIndex(of: task) {
                return RowPath(row: row, section: section)
            }
        }
        return nil
    }
}

extension RowOrder {
    /// The row whose move leads to another order. Two neighbors can have been exchanged by a move of either one. O(rows).
    ///
    /// - Parameter expected: the row that was moved, if it is known.
    package func movedRow(in other: RowOrder, expecting expected: TaskID?) -> TaskID? {
        if let expected, let target = other.path(of: expected), let source = path(of: expected),
            moving(source, to: target) == other
        {
            return expected
        }
        // The first row that differs was moved away, or another one was moved there.
        for (own, others) in zip(sections, other.sections) where own != others {
            let index = zip(own.rows, others.rows).prefix { $0 == $1 }.count
            for rows in [others.rows, own.rows] where index < rows.count {
                guard let source = path(of: rows[index]), let target = other.path(of: rows[index])
                else { continue }
                if moving(source, to: target) == other { return rows[index] }
            }
        }
        return nil
    }
}
