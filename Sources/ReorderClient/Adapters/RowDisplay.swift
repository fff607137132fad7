import Observation
import ReorderEngine

/// What a table view or a collection view displays of a list: it follows the list, and translates drags. The data sources add only the
/// calls of UIKit.
///
/// While a row is dragged, the display keeps the rows of the lift. Changes that arrive meanwhile are displayed when the drag ends.
@MainActor package final class RowDisplay {
    /// New rows to display.
    package struct Update {
        package let order: RowOrder
        /// The rows among them that look different.
        package let changed: [TaskID]
        package let isAnimated: Bool
    }

    package let list: any DisplayedList
    /// The rows that the view displays now.
    package private(set) var order = RowOrder(sections: [])
    private var sections: [LiveList.Section] = []
    private var shown: TableRows
    private var drag: TableDrag?
    /// What other people see of the drag.
    private var announcement: DragAnnouncement?
    /// The row that is displayed as a blank one.
    package private(set) var blank: TaskID?
    private var isObserving = false
    private var show: (Update) -> Void = { _ in }
    /// Called with the row after a drop has changed the list.
    package var onMove: ((LiveList.Row) -> Void)?

    package init(_ list: any DisplayedList) {
        self.list = list
        shown = TableRows(list.snapshot, sections: [])
    }

    /// Displays the list, and all later states of it.
    package func start(_ show: @escaping (Update) -> Void) {
        self.show = show
        update(isAnimated: false)
    }

    /// The row of a displayed task. O(log n).
    package func row(_ task: TaskID) -> LiveList.Row? {
        // The list can be newer than the display.
        let row = list.row(task)
        return shown.list.task(task).map {
            LiveList.Row($0, isWaiting: row?.isWaiting ?? false, drag: row?.drag)
        }
    }

    /// The title of a displayed section; nil for none.
    package func title(ofSection section: Int) -> String? {
        guard order.sections.indices ~= section else { return nil }
        let id = order.sections[section].id
        let title = list.sections.first { $0.id == id }?.title ?? ""
        return title.isEmpty ? nil : title
    }

    // MARK: Following the list

    /// Displays the newest state, unless a row is being dragged. O(rows), of which unchanged ones take little time.
    package func update(isAnimated: Bool = true) {
        observe()
        guard drag == nil else { return }
        let sections = list.sections
        shown = TableRows(list.snapshot, sections: sections.map(\.id))
        var changed = sections.changedRows(since: self.sections)
        self.sections = sections
        if let blank, !changed.contains(blank), shown.path(of: blank) != nil {
            changed.append(blank)
        }
        blank = nil
        let order = RowOrder(
            sections: sections.map { RowOrder.Section(id: $0.id, rows: $0.rows.map(\.id)) })
        display(order, changed: changed, isAnimated: isAnimated)
    }

    private func display(_ order: RowOrder, changed: [TaskID] = [], isAnimated: Bool = true) {
        guard order != self.order || !changed.isEmpty else { return }
        self.order = order
        show(Update(order: order, changed: changed, isAnimated: isAnimated))
    }

    private func observe() {
        guard !isObserving else { return }
        isObserving = true
        withObservationTracking {
            _ = (list.sections, list.snapshot)
        } onChange: { [weak self] in
            // It is called before the change.
            Task { @MainActor in
                self?.isObserving = false
                self?.update()
            }
        }
    }

    // MARK: Drops that the view reports

    /// Whether the row can be moved and deleted: it is not locked.
    package func canEdit(_ task: TaskID) -> Bool { shown.canLift(task) }

    /// Where the view opens the gap for a row that hovers over another place.
    package func target(from source: RowPath, proposed: RowPath) -> RowPath {
        order[source].map { shown.target(of: $0, proposed: proposed) } ?? source
    }

    /// Makes the move of a row that the view has already moved itself. If the rules refuse the move, the row returns.
    ///
    /// - Parameter path: the index path of the row now.
    package func didMove(_ task: TaskID, to path: RowPath) {
        guard let source = order.path(of: task) else { return }
        let drop: TableDrop?
        if var drag, drag.task == task {
            drop = drag.hover(at: path, deeper: levels) ? drag.drop : nil
        } else {
            drop = shown.drop(task, at: path)
        }
        // The display has the rows that the view has, before it gets others.
        display(order.moving(source, to: path), isAnimated: false)
        finish(drop)
        // In the next turn: the view has not finished its own move yet.
        Task { update() }
    }

    // MARK: Drags

    /// How many levels deeper than before the finger is.
    private var levels = 0

    /// Lifts a row, and folds its subtasks.
    ///
    /// - Parameter leavesBlank: whether the row is displayed as a blank one, which follows the finger.
    /// - Returns: whether the row can be moved.
    package func lift(_ task: TaskID, leavesBlank: Bool) -> Bool {
        guard drag == nil, let drag = TableDrag(lifting: task, in: shown, order) else {
            return false
        }
        self.drag = drag
        announcement = list.announceDrag(of: task)
        levels = 0
        blank = leavesBlank ? task : nil
        display(drag.displayed, changed: leavesBlank ? [task] : [])
        return true
    }

    /// The row that is being dragged.
    package var lifted: TaskID? { drag?.task }

    /// Moves the dragged row to an index path. A blank row stays at its last place if the rules refuse the new one.
    ///
    /// - Parameters:
    ///   - path: the index path of the row afterwards.
    ///   - levels: how many levels deeper than before the finger is.
    /// - Returns: the level that the row would get; nil if the rules refuse the place.
    @discardableResult package func hover(at path: RowPath, deeper levels: Int) -> Int? {
        guard var drag else { return nil }
        self.levels = levels
        let isAllowed = drag.hover(at: path, deeper: levels)
        if isAllowed, let drop = drag.drop, drop.destination != self.drag?.drop?.destination {
            announcement?.hover(over: drop.destination)
        }
        self.drag = drag
        if blank != nil { display(drag.displayed) }
        return isAllowed ? drag.drop?.level : nil
    }

    /// How many levels deeper than before the row would be if it were dropped now.
    package var deeper: Int { drag.map { ($0.drop?.level ?? $0.level) - $0.level } ?? 0 }

    /// Drops the dragged row at its last place, and displays its subtasks again.
    ///
    /// - Returns: whether the list changed.
    @discardableResult package func drop() -> Bool {
        guard let drag else { return false }
        let isMoved = finish(drag.drop)
        update()
        return isMoved
    }

    /// Ends a drag without a drop: the row returns to its place.
    package func cancel() {
        guard drag != nil else { return }
        end()
        update()
    }

    private func end() {
        drag = nil
        announcement = nil
    }

    @discardableResult private func finish(_ drop: TableDrop?) -> Bool {
        end()
        guard let drop, drop.isChange, list.move([drop.task], to: drop.destination) else {
            return false
        }
        if let row = list.row(drop.task) { onMove?(row) }
        return true
    }
}
