import ReorderClient
import ReorderEngine
import Testing
import UIKit

/// The calls of UIKit for drags. What the drags do is tested without UIKit.
@MainActor @Suite struct DragTests {
    private let list = ReorderStore.inMemory(["l": "- a\n- b\n- c"]).list("l")

    private func path(_ row: Int) -> IndexPath { IndexPath(row: row, section: 0) }

    /// Waits for the updates after a drop.
    private func settle() async { for _ in 0..<10 { await Task.yield() } }

    /// UIKit gives a drop to the data source, or to the drop delegate.
    @Test(arguments: [false, true])
    func theDragInteractionOfATableViewMovesARow(callsDataSource: Bool) async {
        let table = UITableView(frame: CGRect(x: 0, y: 0, width: 390, height: 844), style: .plain)
        let dataSource = LiveTableDataSource(tableView: table, list: list) { table, path, _ in
            table.dequeueReusableCell(withIdentifier: "task", for: path)
        }
        let drags = TableDragAndDrop(tableView: table, dataSource: dataSource)
        func drag(_ source: Int, to target: Int, deeper levels: Int) -> Bool? {
            table.imitateDrag(
                of: path(source), to: path(target),
                distance: CGFloat(levels) * drags.levelWidth, callsDataSource: callsDataSource)
        }
        #expect(drag(0, to: 2, deeper: 0) == true)
        #expect(table.displayedIDs == [["b", "c", "a"]])
        #expect(list.rows.map(\.id) == ["b", "c", "a"])
        await settle()
        #expect(drag(1, to: 1, deeper: 1) == true)
        #expect(list.row("c")?.parent == "b")
        #expect(table.inconsistencies == 0)
    }

    @Test func anItemOfACollectionViewMoves() async {
        let collection = UICollectionView(
            frame: .zero, collectionViewLayout: UICollectionViewLayout())
        let dataSource = LiveCollectionDataSource(collectionView: collection, list: list) {
            _, _, _ in UICollectionViewCell(frame: .zero)
        }
        let delegate = CollectionDelegate(dataSource)
        collection.delegate = delegate
        #expect(collection.imitateReordering(from: path(0), to: path(2)) == path(2))
        #expect(list.rows.map(\.id) == ["b", "c", "a"])
        let shown = dataSource.snapshot()
        #expect(shown.itemIdentifiers == ["b", "c", "a"])
        // Without a delegate, also a refused move is reported.
        collection.delegate = nil
        list.update(SettingsUpdate(elementsOffset: 1))
        await settle()
        collection.imitateReordering(from: path(2), to: path(0))
        #expect(list.rows.map(\.id) == ["b", "c", "a"])
    }
}

@MainActor private final class CollectionDelegate: NSObject, UICollectionViewDelegate {
    let dataSource: LiveCollectionDataSource

    init(_ dataSource: LiveCollectionDataSource) {
        self.dataSource = dataSource
        super.init()
    }

    func collectionView(
        _ collectionView: UICollectionView,
        targetIndexPathForMoveOfItemFromOriginalIndexPath original: IndexPath,
        atCurrentIndexPath current: IndexPath, toProposedIndexPath proposed: IndexPath
    ) -> IndexPath { dataSource.targetIndexPath(forMoveFrom: original, to: proposed) }
}

extension UITableView {
    var displayedIDs: [[TaskID]] {
        displayedRows.map { $0.map { $0.base as? TaskID ?? "" } }
    }
}
