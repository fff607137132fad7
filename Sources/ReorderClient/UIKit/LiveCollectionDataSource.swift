#if canImport(UIKit) && !os(watchOS)
    import ReorderEngine
    import UIKit

    /// The data source of a collection view that displays a ``LiveList`` with its sections. Items follow the list with animations, and
    /// can be moved by the reorder accessory or an interactive movement, except locked ones.
    ///
    /// The collection view does not keep its data source: keep it in a property. For the place at which an item can be dropped, the
    /// collection view asks its delegate: call ``targetIndexPath(forMoveFrom:to:)`` there.
    open class LiveCollectionDataSource: UICollectionViewDiffableDataSource<
        DisplayedSection, TaskID
    >
    {
        /// Called with a row after the user has dropped it at another place. The list has sent the change already, or will do so.
        public var onMove: ((LiveList.Row) -> Void)? {
            get { display.onMove }
            set { display.onMove = newValue }
        }

        package let display: RowDisplay
        /// The item of the movement that is going on, if the delegate was asked about it.
        private var moving: TaskID?

        /// Creates the data source, and displays the list. It becomes the data source of the collection view.
        ///
        /// - Parameter cell: returns the cell of a row. It is also called when a displayed row changes.
        public convenience init(
            collectionView: UICollectionView, list: LiveList,
            cell:
                @escaping @MainActor (UICollectionView, IndexPath, LiveList.Row) ->
                UICollectionViewCell
        ) {
            self.init(collectionView: collectionView, display: RowDisplay(list), cell: cell)
        }

        package init(
            collectionView: UICollectionView, display: RowDisplay,
            cell:
                @escaping @MainActor (UICollectionView, IndexPath, LiveList.Row) ->
                UICollectionViewCell
        ) {
            self.display = display
            super.init(collectionView: collectionView) { collectionView, path, task in
                display.row(task).map { cell(collectionView, path, $0) }
            }
            reorderingHandlers.canReorderItem = { display.canEdit($0) }
            reorderingHandlers.didReorder = { [weak self] in self?.didReorder($0.finalSnapshot) }
            display.start { [weak self] in self?.apply($0, animatingDifferences: $1) }
        }

        /// The row at an index path; nil if there is none.
        public func row(at indexPath: IndexPath) -> LiveList.Row? {
            itemIdentifier(for: indexPath).flatMap { display.row($0) }
        }

        /// Where an item can be dropped: at the proposed place, or at the nearest place toward its own that the rules allow. For the
        /// collection view's delegate.
        ///
        /// - Parameter source: the original index path of the item.
        public func targetIndexPath(
            forMoveFrom source: IndexPath, to proposed: IndexPath
        ) -> IndexPath {
            moving = display.order[RowPath(source)]
            return IndexPath(display.target(from: RowPath(source), proposed: RowPath(proposed)))
        }

        private func didReorder(_ snapshot: RowDisplay.Snapshot) {
            let order = RowOrder(
                sections: snapshot.sectionIdentifiers.map {
                    .init(id: $0.id, rows: snapshot.itemIdentifiers(inSection: $0))
                })
            let task = display.order.movedRow(in: order, expecting: moving)
            moving = nil
            guard let task, let path = order.path(of: task) else { return }
            display.didMove(task, to: path)
        }
    }
#endif
