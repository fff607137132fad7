import Foundation
import ReorderClient
import ReorderEngine

// The drop in the article SharedTableViews, with stand-ins for UIKit. A test checks that the article
// has the part between the marks.

final class ListController: UITableViewController {
    let list: any SharedList
    let shown: ReorderableList
    private(set) var movedByTheTable: [RowDelta.Move] = []

    init(list: any SharedList, shown: ReorderableList) {
        self.list = list
        self.shown = shown
    }

    // Recipe: the drop
    override func tableView(
        _ tableView: UITableView, moveRowAt source: IndexPath, to destination: IndexPath
    ) {
        // The table view has taken out this row only: the visible subtasks are still counted.
        let offset = source.row < destination.row ? destination.row + 1 : destination.row
        let drop = MoveRequest(
            .row(source.row), to: Destination(RowDestination(.offset(offset))))
        do {
            // The list may be newer than the table view: the ids are those that the user sees.
            if try list.move(drop.namingTasks(in: shown)) {
                movedByTheTable.append(RowDelta.Move(from: source.row, to: destination.row))
            } else {
                tableView.reloadData()
            }
        } catch {
            tableView.reloadData()
        }
    }
    // End of the recipe
}

// MARK: - Stand-ins

/// What the recipe uses of a `SyncedList`.
protocol SharedList: AnyObject {
    func move(_ request: MoveRequest) throws(ClientError) -> Bool
}

extension SyncedList: SharedList {}

extension IndexPath {
    init(row: Int, section: Int) { self = [section, row] }

    var row: Int { self[1] }
}

final class UITableView {
    private(set) var reloadCount = 0

    func reloadData() { reloadCount += 1 }
}

class UITableViewController {
    func tableView(
        _ tableView: UITableView, moveRowAt source: IndexPath, to destination: IndexPath
    ) {}
}
