import ReorderEngine

/// A list as a plain array of rows: a model of drops that is too simple to be wrong.
package struct SmallList: Sendable, Equatable {
    package struct Row: Sendable, Equatable {
        /// One character.
        package var id: TaskID
        package var depth: Int
        /// 0 for the tasks without a section.
        package var section: Int
        package var isCollapsed = false
        package var isLocked = false
    }

    /// All tasks in order, also hidden ones.
    package var rows: [Row]
    /// The number of sections, without the tasks that have none.
    package var sections: Int
    package var elementsOffset = 0
    package var moves = MovePolicy.anywhere
    package var maxDepth = Int.max
    package var maxTasksPerSection = Int.max
    package var tasksPerParent = Int.max

    package init(rows: [Row], sections: Int) {
        self.rows = rows
        self.sections = sections
    }

    /// The id of a section.
    package static func id(of section: Int) -> SectionID? { section == 0 ? nil : "s\(section)" }

    package func index(of task: TaskID) -> Int {
        rows.firstIndex { $0.id == task } ?? -1
    }

    /// The index of a row's parent.
    package func parent(of index: Int) -> Int? {
        rows[..<index].lastIndex {
            $0.section == rows[index].section && $0.depth < rows[index].depth
        }
    }

    /// A row and those below it that are deeper.
    package func subtree(of index: Int) -> Range<Int> {
        let end = rows[(index + 1)...].firstIndex {
            $0.section != rows[index].section || $0.depth <= rows[index].depth
        }
        return index..<(end ?? rows.count)
    }

    package func isVisible(_ index: Int) -> Bool {
        var index = index
        while let parent = parent(of: index) {
            if rows[parent].isCollapsed { return false }
            index = parent
        }
        return true
    }

    /// The indices of the visible rows.
    package var visible: [Int] { rows.indices.filter(isVisible) }

    /// The list for the engine.
    package func makeList() throws -> ReorderableList {
        try ReorderableList(
            settings: ListSettings(
                title: "", elementsOffset: elementsOffset, moves: moves,
                maxDepth: maxDepth == .max ? nil : maxDepth,
                maxTasksPerSection: maxTasksPerSection, tasksPerParent: tasksPerParent),
            sections: (1..<sections + 1).map { ("s\($0)", "") },
            tasks: rows.indices.map { index in
                let row = rows[index]
                return ReorderableList.Entry(
                    content: TaskContent(
                        id: row.id, title: "", collapsed: row.isCollapsed, locked: row.isLocked),
                    section: Self.id(of: row.section),
                    parent: parent(of: index).map { rows[$0].id })
            })
    }

    /// Whether the engine's list has the same rows in the same order.
    package func matches(_ list: ReorderableList) -> Bool {
        var index = 0
        for task in list.tasks {
            guard index < rows.count, task.content.id == rows[index].id,
                task.depth == rows[index].depth,
                task.placement.section == Self.id(of: rows[index].section),
                task.content.collapsed == rows[index].isCollapsed
            else { return false }
            index += 1
        }
        return index == rows.count
    }

    /// For messages: `a b+(c) |1 d!` has the section 1 with d, which is locked.
    package var outline: String {
        var text = ""
        for section in 0...sections {
            if section > 0 { text += "|\(section) " }
            for row in rows where row.section == section {
                text += String(repeating: "-", count: row.depth) + row.id
                text += (row.isCollapsed ? "+" : "") + (row.isLocked ? "!" : "") + " "
            }
        }
        return text + (elementsOffset > 0 ? "offset \(elementsOffset) " : "")
            + (moves == .siblings ? "siblings" : "")
            + (maxDepth < .max ? "levels \(maxDepth)" : "")
            + (maxTasksPerSection < .max ? "in sections \(maxTasksPerSection)" : "")
            + (tasksPerParent < .max ? "subtasks \(tasksPerParent)" : "")
    }
}
