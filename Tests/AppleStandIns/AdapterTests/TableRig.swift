import ReorderEngine
import SmallLists
import UIKit

@testable import ReorderClient

/// A table view and a collection view with all adapters, and a small list in them.
@MainActor final class TableRig {
    let small: SmallList
    let list: LocalList
    let table = UITableView(frame: CGRect(x: 0, y: 0, width: 390, height: 844), style: .plain)
    let display: RowDisplay
    let dataSource: LiveTableDataSource
    let longPress: LongPressReordering
    private let delegate: Delegate
    private let dragAndDrop: TableDragAndDrop
    private let collection = UICollectionView(
        frame: .zero, collectionViewLayout: UICollectionViewLayout())
    private let collectionDisplay: RowDisplay
    private let collectionDataSource: LiveCollectionDataSource
    /// The displayed sections of the small list.
    let sections: [Int]
    /// The visible rows of the small list by section.
    private(set) lazy var rows = rows(of: small)

    init(_ small: SmallList) throws {
        self.small = small
        list = LocalList(try small.makeList())
        let hasRowsWithoutSection = small.rows.contains { $0.section == 0 }
        sections = Array(
            (small.sections > 0 && !hasRowsWithoutSection ? 1 : 0)...small.sections)
        display = RowDisplay(list)
        dataSource = LiveTableDataSource(tableView: table, display: display) { table, path, _ in
            table.dequeueReusableCell(withIdentifier: "task", for: path)
        }
        dragAndDrop = TableDragAndDrop(tableView: table, dataSource: dataSource)
        longPress = LongPressReordering(tableView: table, dataSource: dataSource)
        collectionDisplay = RowDisplay(list)
        collectionDataSource = LiveCollectionDataSource(
            collectionView: collection, display: collectionDisplay
        ) { _, _, _ in UICollectionViewCell(frame: .zero) }
        delegate = Delegate(dataSource, collectionDataSource)
        table.delegate = delegate
        table.setEditing(true, animated: false)
        collection.delegate = delegate
    }

    /// Back to the list before the drops. If a drop has not changed the list, the displays show it already.
    func reset() {
        guard list.isChanged else { return }
        list.reset()
        display.update()
        collectionDisplay.update()
    }

    func removeDelegates() {
        table.delegate = nil
        collection.delegate = nil
    }

    func addDelegates() {
        table.delegate = delegate
        collection.delegate = delegate
    }

    /// The ids of the displayed rows by section, as the table view shows them.
    var shownRows: [[TaskID]] { table.displayedIDs }

    /// The visible rows of a small list by section.
    func rows(of list: SmallList) -> [[TaskID]] {
        sections.map { section in
            list.visible.map { list.rows[$0] }.filter { $0.section == section }.map(\.id)
        }
    }

    // MARK: Drops

    /// A drop by the reorder control, in the table view and in the collection view.
    ///
    /// - Returns: where it was dropped; nil if the row can't be dragged.
    func reorder(from source: IndexPath, to proposed: IndexPath) -> (IndexPath?, [[TaskID]]?) {
        let target = table.imitateReordering(from: source, to: proposed)
        display.update()
        return (target, shownRows)
    }

    func reorderCollection(
        from source: IndexPath, to proposed: IndexPath
    ) -> (IndexPath?, [[TaskID]]?) {
        let target = collection.imitateReordering(from: source, to: proposed)
        collectionDisplay.update()
        let snapshot = collectionDataSource.snapshot()
        return (
            target, snapshot.sectionIdentifiers.map { snapshot.itemIdentifiers(inSection: $0) }
        )
    }

    /// A drop by the drag interaction.
    func drag(
        _ source: IndexPath, to path: IndexPath, deeper levels: Int, callsDataSource: Bool
    ) -> Bool? {
        let isDropped = table.imitateDrag(
            of: source, to: path, distance: CGFloat(levels) * dragAndDrop.levelWidth,
            callsDataSource: callsDataSource)
        display.update()
        return isDropped
    }

    /// Presses a row, and moves the finger over a place.
    func press(_ source: IndexPath, thenHoverAt path: IndexPath, deeper levels: Int) {
        let row = table.rectForRow(at: source)
        longPress.recognizer.point = CGPoint(x: 100, y: row.midY)
        send(.began)
        guard let lifted = display.lifted else { return }
        // The lift has folded the row's subtasks.
        let section = table.displayedIDs[path.section]
        let rows = section.count { $0 != lifted }
        let y: CGFloat
        if path.row < section.count {
            y = table.rectForRow(at: path).midY
        } else if section.isEmpty {
            y = table.rect(forSection: path.section).maxY - 1
        } else {
            precondition(path.row == rows)
            y = table.rect(forSection: path.section).maxY + 1
        }
        longPress.recognizer.point = CGPoint(
            x: 100 + CGFloat(levels) * longPress.levelWidth, y: y)
        send(.changed)
    }

    func send(_ state: UIGestureRecognizer.State) {
        longPress.recognizer.state = state
        longPress.handle(state)
    }
}

@MainActor private final class Delegate: NSObject, UITableViewDelegate, UICollectionViewDelegate {
    let table: LiveTableDataSource
    let collection: LiveCollectionDataSource

    init(_ table: LiveTableDataSource, _ collection: LiveCollectionDataSource) {
        self.table = table
        self.collection = collection
        super.init()
    }

    func tableView(
        _ tableView: UITableView, targetIndexPathForMoveFromRowAt source: IndexPath,
        toProposedIndexPath proposed: IndexPath
    ) -> IndexPath { table.targetIndexPath(forMoveFrom: source, to: proposed) }

    func collectionView(
        _ collectionView: UICollectionView,
        targetIndexPathForMoveOfItemFromOriginalIndexPath original: IndexPath,
        atCurrentIndexPath current: IndexPath, toProposedIndexPath proposed: IndexPath
    ) -> IndexPath { collection.targetIndexPath(forMoveFrom: original, to: proposed) }
}

extension UITableView {
    var displayedIDs: [[TaskID]] {
        displayedRows.map { $0.map { $0.base as? TaskID ?? "" } }
    }
}
