import ReorderEngine

/// What rows show besides their tasks.
struct RowMarks: Equatable {
    /// The tasks with changes that wait to be sent.
    var waiting: Set<TaskID> = []
    /// The tasks that other people drag.
    var dragged: [TaskID: OtherDrag] = [:]

    init() {}

    init(_ machine: SyncMachine) {
        waiting = machine.waitingTasks
        for drag in machine.drags.values {
            for task in drag.tasks { dragged[task] = drag }
        }
    }

    func row(_ task: ListTask) -> LiveList.Row {
        LiveList.Row(
            task, isWaiting: waiting.contains(task.id), drag: dragged[task.id])
    }

    /// The tasks whose marks differ.
    func difference(from other: RowMarks) -> Set<TaskID> {
        waiting.symmetricDifference(other.waiting)
            .union(
                Set(dragged.keys).union(other.dragged.keys)
                    .filter { dragged[$0] != other.dragged[$0] })
    }
}

extension LiveList.Section {
    /// The sections of a list. O(rows).
    static func all(of list: ReorderableList, _ marks: RowMarks) -> [LiveList.Section] {
        var all: [LiveList.Section] = []
        all.rebuild(list) { _, range in
            LiveList.Rows(
                list.tasks(fromRow: range.lowerBound, limit: range.count).map { marks.row($0) })
        }
        return all
    }
}

extension [LiveList.Section] {
    /// Replaces the rows that differ. O(k log n) for k touched rows, and O(n / 256).
    ///
    /// - Parameters:
    ///   - before: the list that the sections display.
    ///   - after: the list to display.
    mutating func update(
        from before: ReorderableList, to after: ReorderableList, _ touched: TouchedRows,
        _ marks: RowMarks
    ) {
        guard case .operations = touched else {
            self = LiveList.Section.all(of: after, marks)
            return
        }
        let (old, new) = touched.rows(in: before, and: after)
        let kept = removing(old)
        var next = new.startIndex
        rebuild(after) { section, range in
            let rows = kept[section] ?? LiveList.Rows()
            let first = next
            while next < new.endIndex, new[next].row < range.upperBound { next += 1 }
            guard first < next else { return rows }
            return rows.inserting(
                new[first..<next].map { ($0.row - range.lowerBound, marks.row($0.task)) })
        }
    }

    /// The rows of each section without those at some rows of the list, in ascending order.
    private func removing(_ old: [TouchedRows.Row]) -> [SectionID?: LiveList.Rows] {
        var kept: [SectionID?: LiveList.Rows] = [:]
        var (start, next) = (0, old.startIndex)
        for section in self {
            let first = next
            let end = start + section.rows.count
            while next < old.endIndex, old[next].row < end { next += 1 }
            kept[section.id] = section.rows.removing(
                old[first..<next].map { $0.row - start })
            start = end
        }
        return kept
    }

    /// Replaces the sections by those of a list. O(sections · log n).
    ///
    /// - Parameter rows: returns the rows of a section, which have these numbers in the list; called in the order of the sections.
    fileprivate mutating func rebuild(
        _ list: ReorderableList, _ rows: (SectionID?, Range<Int>) -> LiveList.Rows
    ) {
        let named = list.sections
        self = []
        // A section for nothing would show an empty header.
        if named.isEmpty || list.task(section: nil, parent: nil, position: 0) != nil {
            append(
                LiveList.Section(
                    id: nil, title: "", rows: rows(nil, list.rows(in: nil) ?? 0..<0), data: nil,
                    list: list))
        }
        for section in named {
            append(
                LiveList.Section(
                    id: section.id, title: section.title,
                    rows: rows(section.id, list.rows(in: section.id) ?? 0..<0),
                    data: section.data, list: list))
        }
    }
}

extension TouchedRows {
    var isEmpty: Bool {
        if case .operations(let operations) = self { return operations.isEmpty }
        return false
    }
}
