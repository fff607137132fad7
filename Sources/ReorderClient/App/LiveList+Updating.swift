import ReorderEngine

extension LiveList {
    /// If more rows have changed, another thread builds them.
    private static let rowsAtOnce = 500

    /// Displays the newest state.
    func refreshRows() {
        guard let synced, let subscription, building == nil else { return }
        // Together: a list that is loaded has its rows.
        let state = synced.runner.read { machine in
            (
                isLoaded: machine.shown != nil, dragged: machine.draggedTasks,
                rows: subscription.take()
            )
        }
        var (before, after, touched) = state.rows
        let drags = Set(state.dragged.keys).union(dragged.keys)
        touched.add(
            drags.filter { state.dragged[$0] != dragged[$0] }
                .map { .update(task: $0, set: TaskUpdate()) })
        dragged = state.dragged
        guard state.isLoaded, !touched.isEmpty else { return }
        if let rows = touched.rows(in: before, and: after, limit: Self.rowsAtOnce) {
            var sections = sections
            sections.update(rows, in: after, marks(of: rows.after.lazy.map(\.task.id)))
            show(sections, of: after)
        } else {
            build(from: before, to: after, touched, synced.runner)
        }
    }

    /// The marks of some tasks.
    func marks(of tasks: some Sequence<TaskID>) -> RowMarks {
        let waiting = synced?.runner.read { machine in
            Set(tasks.filter { machine.waiting.tasks.contains($0) })
        }
        return RowMarks(waiting: waiting ?? [], dragged: dragged)
    }

    /// Builds many rows, and then displays them.
    private func build(
        from before: ReorderableList, to after: ReorderableList, _ touched: TouchedRows,
        _ runner: ListRunner
    ) {
        let (former, dragged) = (sections, dragged)
        building = Task { [weak self] in
            let sections = await Task.detached {
                let marks = RowMarks(waiting: runner.read(\.waiting.tasks), dragged: dragged)
                guard case .operations = touched else {
                    return LiveList.Section.all(of: after, marks)
                }
                var sections = former
                sections.update(touched.rows(in: before, and: after), in: after, marks)
                return sections
            }.value
            guard let self, !Task.isCancelled else { return }
            self.building = nil
            self.show(sections, of: after)
            self.refresh()
        }
    }

    func show(_ sections: [Section], of list: ReorderableList) {
        let former = (self.sections, displayed)
        self.sections = sections
        snapshot = list
        set(\.title, list.settings.title)
        set(\.isLoaded, true)
        // To release many rows takes long.
        Task.detached { _ = former }
    }
}

extension SyncMachine {
    /// The tasks that other people drag.
    var draggedTasks: [TaskID: OtherDrag] {
        var tasks: [TaskID: OtherDrag] = [:]
        for drag in drags.values {
            for task in drag.tasks { tasks[task] = drag }
        }
        return tasks
    }
}

/// What rows show besides their tasks.
struct RowMarks: Sendable {
    /// The tasks with changes that wait to be sent.
    var waiting: Set<TaskID> = []
    /// The tasks that other people drag.
    var dragged: [TaskID: OtherDrag] = [:]

    func row(_ task: ListTask) -> LiveList.Row {
        LiveList.Row(
            task, isWaiting: waiting.contains(task.id), drag: dragged[task.id])
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
    ///   - rows: the touched rows of the displayed list, and of the list to display.
    ///   - list: the list to display.
    mutating func update(
        _ rows: (before: [TouchedRows.Row], after: [TouchedRows.Row]), in list: ReorderableList,
        _ marks: RowMarks
    ) {
        let (old, new) = rows
        let kept = removing(old)
        var next = new.startIndex
        rebuild(list) { section, range in
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
