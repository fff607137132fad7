#if canImport(UIKit) && !os(watchOS)
    import ReorderEngine
    import UIKit

    /// Reordering of a table view by a long press, without edit mode: the row floats below the finger, its subtasks fold, and a blank
    /// row shows where it would be dropped. A movement to the side changes the level. If the gesture is cancelled, the row returns.
    ///
    /// Keep it in a property. For automatic scrolling, add a target to ``recognizer``, and call ``update()`` after each scroll.
    @MainActor public final class LongPressReordering: NSObject {
        /// The recognizer, which the table view has.
        public private(set) var recognizer = UILongPressGestureRecognizer(target: nil, action: nil)
        /// How far the finger moves for one level, in points. 0 keeps each row's level if the place allows it.
        public var levelWidth: CGFloat = 30
        private weak var tableView: UITableView?
        private let dataSource: LiveTableDataSource
        private var display: RowDisplay { dataSource.display }
        private var floating: UIView?
        /// Where the finger and the left edge of the cell were at the lift.
        private var start = CGPoint.zero
        private var left: CGFloat = 0

        /// Adds a long press to a table view.
        public init(tableView: UITableView, dataSource: LiveTableDataSource) {
            self.tableView = tableView
            self.dataSource = dataSource
            super.init()
            #if canImport(ObjectiveC)
                recognizer.addTarget(self, action: #selector(pressed))
            #endif
            tableView.addGestureRecognizer(recognizer)
        }

        #if canImport(ObjectiveC)
            @objc private func pressed() { handle(recognizer.state) }
        #endif

        package func handle(_ state: UIGestureRecognizer.State) {
            switch state {
            case .began: lift()
            case .changed: update()
            case .ended: end { display.drop() }
            case .cancelled, .failed: end { display.cancel() }
            default: break
            }
        }

        private func lift() {
            guard let tableView else { return }
            start = recognizer.location(in: tableView)
            guard let path = tableView.indexPathForRow(at: start),
                let cell = tableView.cellForRow(at: path),
                let task = dataSource.itemIdentifier(for: path)
            else { return }
            let image = cell.snapshotView(afterScreenUpdates: false) ?? UIView(frame: cell.frame)
            guard display.lift(task, leavesBlank: true) else {
                // A locked row: the gesture ends.
                recognizer.isEnabled = false
                recognizer.isEnabled = true
                return
            }
            image.frame = cell.frame
            left = cell.frame.minX
            image.alpha = 0.9
            tableView.addSubview(image)
            floating = image
            UIView.animate(withDuration: 0.25) { image.center.y = self.start.y }
        }

        /// Moves the row and the blank row to the finger. The gesture does this, unless the table view scrolls below a finger that rests.
        public func update() {
            guard let tableView, let floating else { return }
            let point = recognizer.location(in: tableView)
            let distance = levelWidth > 0 ? (point.x - start.x) / levelWidth : 0
            if let path = path(at: point.y, in: tableView) {
                display.hover(at: RowPath(path), deeper: Int(distance.rounded()))
            }
            floating.center.y = point.y
            floating.frame.origin.x = left + CGFloat(display.deeper) * levelWidth
        }

        /// The place of the blank row for a finger: that of the row below the finger, or an end of a section. The upper half of a header
        /// belongs to the section above.
        private func path(at y: CGFloat, in tableView: UITableView) -> IndexPath? {
            let point = CGPoint(x: tableView.bounds.midX, y: y)
            if let path = tableView.indexPathForRow(at: point) { return path }
            let sections = display.order.sections
            let section = sections.indices.last { tableView.rect(forSection: $0).minY <= y } ?? 0
            guard sections.indices ~= section else { return nil }
            let area = tableView.rect(forSection: section)
            let isEmpty = sections[section].rows.isEmpty
            let header =
                isEmpty
                ? area.maxY : tableView.rectForRow(at: IndexPath(row: 0, section: section)).minY
            if y >= header, !isEmpty || section == sections.count - 1 { return end(of: section) }
            return section > 0 && y < (area.minY + header) / 2
                ? end(of: section - 1) : IndexPath(row: 0, section: section)
        }

        private func end(of section: Int) -> IndexPath {
            let rows = display.order.sections[section].rows.count { $0 != display.lifted }
            return IndexPath(row: rows, section: section)
        }

        private func end(_ finish: () -> Void) {
            guard let floating, let tableView, let task = display.lifted else { return }
            self.floating = nil
            finish()
            guard let path = dataSource.indexPath(for: task) else {
                return floating.removeFromSuperview()
            }
            UIView.animate(withDuration: 0.25) {
                floating.frame = tableView.rectForRow(at: path)
            } completion: { _ in
                floating.removeFromSuperview()
            }
        }
    }
#endif
