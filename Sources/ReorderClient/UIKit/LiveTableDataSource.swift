#if canImport(UIKit) && !os(watchOS)
    import ReorderEngine
    import UIKit

    /// The data source of a table view that displays a ``LiveList`` with its sections: rows follow the list with animations, and in edit
    /// mode they can be moved and deleted, except locked ones.
    ///
    /// ```swift
    /// dataSource = LiveTableDataSource(tableView: tableView, list: list) { tableView, path, row in
    ///     let cell = tableView.dequeueReusableCell(withIdentifier: "task", for: path)
    ///     var content = cell.defaultContentConfiguration()
    ///     content.text = row.title
    ///     cell.contentConfiguration = content
    ///     cell.indentationLevel = row.level
    ///     return cell
    /// }
    /// ```
    ///
    /// The table view does not keep its data source: keep it in a property. For the place at which a row can be dropped, the table view
    /// asks its delegate: call ``targetIndexPath(forMoveFrom:to:)`` there.
    open class LiveTableDataSource: UITableViewDiffableDataSource<DisplayedSection, TaskID> {
        /// Called with a row after the user has dropped it at another place. The list has sent the change already, or will do so.
        public var onMove: ((LiveList.Row) -> Void)? {
            get { display.onMove }
            set { display.onMove = newValue }
        }
        /// Called with the row whose insert control the user tapped, in edit mode.
        public var onInsert: ((LiveList.Row) -> Void)?

        package let display: RowDisplay

        /// Creates the data source, and displays the list. It becomes the data source of the table view.
        ///
        /// - Parameter cell: returns the cell of a row. It is also called when a displayed row changes.
        public convenience init(
            tableView: UITableView, list: LiveList,
            cell: @escaping @MainActor (UITableView, IndexPath, LiveList.Row) -> UITableViewCell
        ) {
            self.init(tableView: tableView, display: RowDisplay(list), cell: cell)
        }

        package init(
            tableView: UITableView, display: RowDisplay,
            cell: @escaping @MainActor (UITableView, IndexPath, LiveList.Row) -> UITableViewCell
        ) {
            self.display = display
            super.init(tableView: tableView) { tableView, path, task in
                guard let row = display.row(task) else { return nil }
                let cell = cell(tableView, path, row)
                cell.contentView.alpha = display.blank == task ? 0 : 1
                return cell
            }
            display.start { [weak self] in self?.apply($0, animatingDifferences: $1) }
        }

        /// The row at an index path; nil if there is none.
        public func row(at indexPath: IndexPath) -> LiveList.Row? {
            itemIdentifier(for: indexPath).flatMap { display.row($0) }
        }

        /// Where a row can be dropped: at the proposed place, or at the nearest place toward its own that the rules allow. For the table
        /// view's delegate.
        public func targetIndexPath(
            forMoveFrom source: IndexPath, to proposed: IndexPath
        ) -> IndexPath {
            IndexPath(display.target(from: RowPath(source), proposed: RowPath(proposed)))
        }

        /// Deletes the rows at index paths with their subtasks: all of them, or none if one is locked.
        ///
        /// - Returns: whether they were deleted. If not, the list's ``LiveList/notice`` has the reason.
        @discardableResult public func delete(_ indexPaths: [IndexPath]) -> Bool {
            display.list.delete(indexPaths.compactMap { itemIdentifier(for: $0) })
        }

        // MARK: The table view's data source

        /// The title of a section; nil for the rows without one.
        open override func tableView(
            _ tableView: UITableView, titleForHeaderInSection section: Int
        ) -> String? { display.title(ofSection: section) }

        /// Whether the row can be deleted: it is not locked.
        open override func tableView(
            _ tableView: UITableView, canEditRowAt indexPath: IndexPath
        ) -> Bool { itemIdentifier(for: indexPath).map { display.canEdit($0) } ?? false }

        /// Whether the row can be moved: it is not locked.
        open override func tableView(
            _ tableView: UITableView, canMoveRowAt indexPath: IndexPath
        ) -> Bool { itemIdentifier(for: indexPath).map { display.canEdit($0) } ?? false }

        /// Makes the move of a row that the user has dropped. If the rules refuse it, the row returns.
        open override func tableView(
            _ tableView: UITableView, moveRowAt source: IndexPath, to destination: IndexPath
        ) {
            guard let task = itemIdentifier(for: source) else { return }
            display.didMove(task, to: RowPath(destination))
        }

        /// Deletes the row, or calls ``onInsert``.
        open override func tableView(
            _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
            forRowAt indexPath: IndexPath
        ) {
            switch editingStyle {
            case .delete: delete([indexPath])
            case .insert: row(at: indexPath).map { onInsert?($0) }
            default: break
            }
        }
    }
#endif
