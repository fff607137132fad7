import Foundation
import ReorderEngine

// The recipes of the article EngineTableViews, with stand-ins for UIKit and SwiftUI. A test checks
// that the article has the parts between the marks.

final class ListController: UITableViewController {
    var list: ReorderableList

    init(list: ReorderableList) {
        self.list = list
        super.init(style: .plain)
    }

    required init?(coder: NSCoder) { nil }

    // Recipe: the data source
    /// The tasks without a section come first.
    var sections: [SectionID?] { [nil] + list.sections.map(\.id) }

    override func numberOfSections(in tableView: UITableView) -> Int { sections.count }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        list.rows(in: sections[section])?.count ?? 0
    }

    func task(at path: IndexPath) -> ListTask? {
        list.rows(in: sections[path.section]).flatMap { list.task(atRow: $0.lowerBound + path.row) }
    }
    // End of the recipe

    // Recipe: edit mode
    /// The move that a table view reports.
    func move(from source: IndexPath, to destination: IndexPath) -> MoveRequest {
        // The table view has taken out this row only: the visible subtasks are still counted.
        let isBelow = source.section == destination.section && source.row < destination.row
        let offset = isBelow ? destination.row + 1 : destination.row
        let target = RowTarget.offsetInSection(sections[destination.section], offset)
        return MoveRequest(
            .path(sections[source.section], row: source.row),
            to: Destination(RowDestination(target)))
    }

    override func tableView(_ tableView: UITableView, canMoveRowAt path: IndexPath) -> Bool {
        (try? list.checkLift(.path(sections[path.section], row: path.row))) != nil
    }

    override func tableView(
        _ tableView: UITableView, targetIndexPathForMoveFromRowAt source: IndexPath,
        toProposedIndexPath proposed: IndexPath
    ) -> IndexPath {
        // Trying the move on a copy checks all rules, and copying costs O(1).
        var copy = list
        return (try? copy.move(move(from: source, to: proposed))) == nil ? source : proposed
    }

    override func tableView(
        _ tableView: UITableView, moveRowAt source: IndexPath, to destination: IndexPath
    ) {
        do {
            let outcome = try list.move(move(from: source, to: destination))
            // For example a task that was dropped among its own subtasks.
            if !outcome.changed { tableView.reloadData() }
            send(outcome)
        } catch {
            tableView.reloadData()
        }
    }
    // End of the recipe

    private(set) var sent: [MoveOutcome] = []

    private func send(_ outcome: MoveOutcome) { sent.append(outcome) }
}

struct Rows {
    var list: ReorderableList

    // Recipe: onMove
    /// For a view that shows all rows in one `ForEach`.
    mutating func move(_ rows: IndexSet, to offset: Int) throws {
        let destination = Destination(RowDestination(.offset(offset)))
        _ = try list.move(MoveRequest(.rows(Array(rows)), to: destination))
    }

    /// For a view with a `ForEach` for each section, whose rows are counted in the section.
    mutating func move(_ rows: IndexSet, to offset: Int, in section: SectionID?) throws {
        let first = list.rows(in: section)?.lowerBound ?? 0
        let destination = Destination(RowDestination(.offsetInSection(section, offset)))
        _ = try list.move(MoveRequest(.rows(rows.map { first + $0 }), to: destination))
    }
    // End of the recipe
}

// MARK: - Stand-ins

extension IndexPath {
    init(row: Int, section: Int) { self = [section, row] }

    var section: Int { self[0] }
    var row: Int { self[1] }
}

final class UITableView {
    private(set) var reloadCount = 0

    func reloadData() { reloadCount += 1 }
}

class UITableViewController {
    enum Style { case plain }

    init(style: Style) {}

    required init?(coder: NSCoder) {}

    func numberOfSections(in tableView: UITableView) -> Int { 1 }
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    func tableView(_ tableView: UITableView, canMoveRowAt path: IndexPath) -> Bool { true }
    func tableView(
        _ tableView: UITableView, targetIndexPathForMoveFromRowAt source: IndexPath,
        toProposedIndexPath proposed: IndexPath
    ) -> IndexPath { proposed }
    func tableView(
        _ tableView: UITableView, moveRowAt source: IndexPath, to destination: IndexPath
    ) {}
}
