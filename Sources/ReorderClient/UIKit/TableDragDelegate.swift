#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import ReorderEngine
    import UIKit

    /// What ``TableDragAndDrop`` answers to a table view.
    @MainActor final class TableDragDelegate: NSObject {
        private let dataSource: LiveTableDataSource
        private var display: RowDisplay { dataSource.display }
        var levelWidth: CGFloat = 30
        /// Where the finger was at the lift.
        private var start: CGFloat = 0

        init(_ dataSource: LiveTableDataSource) {
            self.dataSource = dataSource
            super.init()
        }

        /// The row of a drag that began in this table view.
        private func task(of session: any UIDragDropSession) -> TaskID? {
            guard session.items.count == 1 else { return nil }
            return session.items[0].localObject as? TaskID
        }

        private func level(_ session: any UIDragDropSession, in tableView: UITableView) -> Int {
            guard levelWidth > 0 else { return 0 }
            return Int(((session.location(in: tableView).x - start) / levelWidth).rounded())
        }
    }

    extension TableDragDelegate: UITableViewDragDelegate {
        func tableView(
            _ tableView: UITableView, itemsForBeginning session: any UIDragSession,
            at indexPath: IndexPath
        ) -> [UIDragItem] {
            guard let task = dataSource.itemIdentifier(for: indexPath), display.canEdit(task) else {
                return []
            }
            let item = UIDragItem(itemProvider: NSItemProvider())
            item.localObject = task
            return [item]
        }

        func tableView(
            _ tableView: UITableView, dragSessionWillBegin session: any UIDragSession
        ) {
            start = session.location(in: tableView).x
            guard let task = task(of: session) else { return }
            _ = display.lift(task, leavesBlank: false)
        }

        func tableView(
            _ tableView: UITableView, dragSessionDidEnd session: any UIDragSession
        ) { display.cancel() }

        func tableView(
            _ tableView: UITableView,
            dragSessionIsRestrictedToDraggingApplication session: any UIDragSession
        ) -> Bool { true }
    }

    extension TableDragDelegate: UITableViewDropDelegate {
        func tableView(
            _ tableView: UITableView, canHandle session: any UIDropSession
        ) -> Bool {
            session.localDragSession != nil && display.lifted != nil
                && task(of: session) == display.lifted
        }

        func tableView(
            _ tableView: UITableView, dropSessionDidUpdate session: any UIDropSession,
            withDestinationIndexPath destinationIndexPath: IndexPath?
        ) -> UITableViewDropProposal {
            guard let path = destinationIndexPath ?? end, let task = display.lifted,
                display.hover(at: RowPath(path), deeper: level(session, in: tableView)) != nil
            else { return UITableViewDropProposal(operation: .forbidden) }
            // UIKit does not report a drop of a row at its own place if that would open a gap. It can have another level.
            let isOwnPlace = path == dataSource.indexPath(for: task)
            return UITableViewDropProposal(
                operation: .move, intent: isOwnPlace ? .unspecified : .insertAtDestinationIndexPath)
        }

        /// UIKit calls the data source's `moveRowAt` for most drops, and this method for the others.
        func tableView(
            _ tableView: UITableView, performDropWith coordinator: any UITableViewDropCoordinator
        ) {
            guard let item = coordinator.items.first, let task = display.lifted else { return }
            display.drop()
            guard let path = dataSource.indexPath(for: task) else { return }
            coordinator.drop(item.dragItem, toRowAt: path)
        }

        /// The place below all rows.
        private var end: IndexPath? {
            guard let last = display.order.sections.last else { return nil }
            let rows = last.rows.count { $0 != display.lifted }
            return IndexPath(row: rows, section: display.order.sections.count - 1)
        }
    }
#endif
