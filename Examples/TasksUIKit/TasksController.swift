import Observation
import ReorderClient
import UIKit

/// A list of tasks with sections and subtasks, which people reorder by a long press or in edit mode.
final class TasksController: UITableViewController {
    private let list: LiveList
    private lazy var dataSource = LiveTableDataSource(
        tableView: tableView, list: list, cell: Self.cell)
    private(set) lazy var longPress = LongPressReordering(
        tableView: tableView, dataSource: dataSource)

    init(list: LiveList) {
        self.list = list
        super.init(style: .insetGrouped)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        tableView.register(UITableViewCell.self, forCellReuseIdentifier: "task")
        tableView.allowsMultipleSelectionDuringEditing = true
        longPress.levelWidth = 30
        dataSource.onMove = { [weak self] in self?.navigationItem.prompt = "Moved \($0.title)." }
        navigationItem.leftBarButtonItems = [
            button(.add) { $0.list.create("New task", at: .end(of: $0.list.sections.last?.id)) },
            button(.undo) { $0.list.undo() },
        ]
        navigationItem.rightBarButtonItems = [
            editButtonItem,
            button(.trash) { $0.dataSource.delete($0.tableView.indexPathsForSelectedRows ?? []) },
        ]
        follow()
    }

    private func button(
        _ item: UIBarButtonItem.SystemItem, _ action: @escaping (TasksController) -> Void
    ) -> UIBarButtonItem {
        UIBarButtonItem(
            systemItem: item, primaryAction: UIAction { [weak self] _ in self.map(action) })
    }

    /// Shows the title, and why a change was refused.
    private func follow() {
        withObservationTracking {
            title = list.title
            if let notice = list.notice { navigationItem.prompt = notice.message }
        } onChange: { [weak self] in
            Task { @MainActor in self?.follow() }
        }
    }

    private static func cell(
        in tableView: UITableView, at path: IndexPath, for row: LiveList.Row
    ) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "task", for: path)
        var content = cell.defaultContentConfiguration()
        content.text = row.title
        content.secondaryText = row.isCollapsed ? "\(row.subtaskCount) subtasks" : nil
        content.textProperties.color = row.isLocked ? .secondaryLabel : .label
        cell.contentConfiguration = content
        cell.indentationLevel = row.level
        cell.accessoryType = row.isCompleted ? .checkmark : .none
        return cell
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt path: IndexPath) {
        if !isEditing { dataSource.row(at: path).map { _ = list.toggleCollapsed($0.id) } }
    }

    override func tableView(
        _ tableView: UITableView, targetIndexPathForMoveFromRowAt source: IndexPath,
        toProposedIndexPath proposed: IndexPath
    ) -> IndexPath { dataSource.targetIndexPath(forMoveFrom: source, to: proposed) }
}
