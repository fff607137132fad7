import ReorderClient
import Testing
import UIKit

/// The insert control of a row in edit mode.
@MainActor @Suite struct InsertControlTests {
    @Test func theClosureGetsTheRowWhoseControlWasTapped() {
        let list = ReorderStore.inMemory(["l": "- Milk\n- Bread"]).list("l")
        let table = UITableView(frame: .zero, style: .plain)
        let dataSource = LiveTableDataSource(tableView: table, list: list) { table, path, _ in
            table.dequeueReusableCell(withIdentifier: "task", for: path)
        }
        let delegate = InsertDelegate()
        table.delegate = delegate
        table.setEditing(true, animated: false)
        var inserted: [String] = []
        dataSource.onInsert = {
            inserted.append($0.title)
            list.create("Butter", at: .after($0.id))
        }
        #expect(table.imitateEditing(.insert, at: IndexPath(row: 0, section: 0)))
        #expect(inserted == ["Milk"])
        #expect(list.rows.map(\.title) == ["Milk", "Butter", "Bread"])
    }
}

@MainActor private final class InsertDelegate: NSObject, UITableViewDelegate {
    func tableView(
        _ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath
    ) -> UITableViewCell.EditingStyle { .insert }
}
