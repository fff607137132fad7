// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What a user does with a table view, and the calls that UIKit makes for it.

extension UITableView {
    /// Imitates a drag by the reorder control in edit mode.
    ///
    /// - Returns: where the row was dropped; nil if it can't be dragged.
    @discardableResult public func imitateReordering(
        from source: IndexPath, to proposed: IndexPath
    ) -> IndexPath? {
        guard isEditing, let dataSource, dataSource.tableView(self, canEditRowAt: source),
            dataSource.tableView(self, canMoveRowAt: source)
        else { return nil }
        let target =
            delegate?.tableView(
                self, targetIndexPathForMoveFromRowAt: source, toProposedIndexPath: proposed)
            ?? proposed
        // UIKit does not call the data source for a row that was not moved.
        if target != source { moveRow(from: source, to: target) }
        return target
    }

    /// Displays a row at its new place, then calls the data source. The data source must have the displayed rows afterwards.
    private func moveRow(from source: IndexPath, to target: IndexPath) {
        rows[target.section].insert(rows[source.section].remove(at: source.row), at: target.row)
        let displayed = rows
        dataSource?.tableView(self, moveRowAt: source, to: target)
        if rows != displayed { inconsistencies += 1 }
    }

    /// Imitates the delete or the insert control of a row, or the delete action of a swipe.
    ///
    /// - Returns: whether the row has such a control.
    @discardableResult public func imitateEditing(
        _ style: UITableViewCell.EditingStyle, at indexPath: IndexPath
    ) -> Bool {
        guard let dataSource, dataSource.tableView(self, canEditRowAt: indexPath),
            delegate?.tableView(self, editingStyleForRowAt: indexPath) ?? .delete == style
        else { return false }
        dataSource.tableView(self, commit: style, forRowAt: indexPath)
        return true
    }

    /// Imitates a drag by the table's drag interaction.
    ///
    /// - Parameters:
    ///   - path: where the row would be afterwards, in the rows that the table view displays after the lift.
    ///   - distance: how far the finger moves to the right.
    ///   - callsDataSource: whether a drop is given to the data source's `moveRowAt`, as UIKit does for one local row if the data
    ///     source has this method, or else to the drop delegate.
    /// - Returns: whether the row was dropped; nil if it can't be lifted.
    @discardableResult public func imitateDrag(
        of source: IndexPath, to path: IndexPath, distance: CGFloat = 0,
        callsDataSource: Bool = false
    ) -> Bool? {
        guard dragInteractionEnabled, let dragDelegate, let id = id(at: source) else { return nil }
        let drag = ImitatedDrag(point: rectForRow(at: source).origin)
        drag.items = dragDelegate.tableView(self, itemsForBeginning: drag, at: source)
        guard !drag.items.isEmpty else { return nil }
        setActiveDrag(true)
        dragDelegate.tableView(self, dragSessionWillBegin: drag)
        defer {
            setActiveDrag(false)
            dragDelegate.tableView(self, dragSessionDidEnd: drag)
        }
        guard let dropDelegate, dropDelegate.tableView(self, canHandle: drag),
            let current = rows.indices.lazy.compactMap({ section in
                self.rows[section].firstIndex(of: id).map { IndexPath(row: $0, section: section) }
            }).first
        else { return false }
        drag.point = CGPoint(x: drag.point.x + distance, y: rectForRow(at: path).minY)
        let proposal = dropDelegate.tableView(
            self, dropSessionDidUpdate: drag, withDestinationIndexPath: path)
        guard proposal.operation == .move else { return false }
        if callsDataSource, proposal.intent == .insertAtDestinationIndexPath {
            if path != current { moveRow(from: current, to: path) }
        } else {
            let drop = ImitatedDrop(session: drag, path: path, source: current)
            dropDelegate.tableView(self, performDropWith: drop)
        }
        return true
    }
}

@MainActor private final class ImitatedDrag: NSObject, UIDragSession, UIDropSession {
    var items: [UIDragItem] = []
    var localContext: Any?
    var point: CGPoint
    var localDragSession: (any UIDragSession)? { self }

    init(point: CGPoint) {
        self.point = point
        super.init()
    }

    func location(in view: UIView) -> CGPoint { point }
}

@MainActor private final class ImitatedDrop: NSObject, UITableViewDropCoordinator {
    let session: any UIDropSession
    let destinationIndexPath: IndexPath?
    let items: [any UITableViewDropItem]

    init(session: any UIDropSession, path: IndexPath, source: IndexPath) {
        self.session = session
        destinationIndexPath = path
        items = session.items.map { Item(dragItem: $0, sourceIndexPath: source) }
        super.init()
    }

    func drop(_ dragItem: UIDragItem, toRowAt indexPath: IndexPath) -> any UIDragAnimating {
        Animation()
    }

    private final class Animation: NSObject, UIDragAnimating {}

    private final class Item: NSObject, UITableViewDropItem {
        let dragItem: UIDragItem
        let sourceIndexPath: IndexPath?

        init(dragItem: UIDragItem, sourceIndexPath: IndexPath?) {
            self.dragItem = dragItem
            self.sourceIndexPath = sourceIndexPath
            super.init()
        }
    }
}

extension UITableView {
    /// The identifiers of the displayed rows by section.
    public var displayedRows: [[AnyHashable]] { rows }
}
