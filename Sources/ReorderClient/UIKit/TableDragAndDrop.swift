#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import UIKit

    /// Reordering of a table view by its drag interaction, also outside edit mode: the dragged row's subtasks fold, and a movement to
    /// the side changes the level.
    ///
    /// It becomes the drag delegate and the drop delegate of the table view. Keep it in a property.
    @MainActor public final class TableDragAndDrop {
        private let delegate: TableDragDelegate

        /// How far the finger moves for one level, in points. 0 keeps each row's level if the place allows it.
        public var levelWidth: CGFloat {
            get { delegate.levelWidth }
            set { delegate.levelWidth = newValue }
        }

        /// Enables the drag interaction of a table view.
        public init(tableView: UITableView, dataSource: LiveTableDataSource) {
            delegate = TableDragDelegate(dataSource)
            tableView.dragDelegate = delegate
            tableView.dropDelegate = delegate
            tableView.dragInteractionEnabled = true
        }
    }
#endif
