// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// A table view that displays the rows of its data source, of equal height. `UITableView+Imitating` has what a user does.
@MainActor open class UITableView: UIScrollView {
    public enum Style: Int, Sendable { case plain, grouped, insetGrouped }
    public enum RowAnimation: Int, Sendable {
        case fade, right, left, top, bottom, none, middle, automatic = 100
    }

    open weak var dataSource: (any UITableViewDataSource)?
    open weak var delegate: (any UITableViewDelegate)?
    open weak var dragDelegate: (any UITableViewDragDelegate)?
    open weak var dropDelegate: (any UITableViewDropDelegate)?
    open var dragInteractionEnabled = true
    open private(set) var isEditing = false
    open var allowsMultipleSelectionDuringEditing = false
    open private(set) var hasActiveDrag = false
    public let style: Style

    /// The identifiers of the displayed rows by section, and the cells that were requested for them.
    var rows: [[AnyHashable]] = []
    private var cells: [AnyHashable: UITableViewCell] = [:]
    private var selection: Set<AnyHashable> = []
    private var cellClasses: [String: UITableViewCell.Type] = [:]
    /// The number of times that the displayed rows were not those of the data source after a drag: UIKit would throw an
    /// exception, or display other rows than the data source has.
    public internal(set) var inconsistencies = 0

    public init(frame: CGRect, style: Style) {
        self.style = style
        super.init(frame: frame)
    }

    open func setEditing(_ editing: Bool, animated: Bool) {
        isEditing = editing
        selection = []
    }

    open func register(_ cellClass: UITableViewCell.Type, forCellReuseIdentifier id: String) {
        cellClasses[id] = cellClass
    }

    open func dequeueReusableCell(
        withIdentifier identifier: String, for indexPath: IndexPath
    ) -> UITableViewCell {
        (cellClasses[identifier] ?? UITableViewCell.self)
            .init(style: .default, reuseIdentifier: identifier)
    }

    // MARK: Rows

    open var numberOfSections: Int { rows.count }

    open func numberOfRows(inSection section: Int) -> Int { rows[section].count }

    open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? {
        guard let id = id(at: indexPath) else { return nil }
        if cells[id] == nil {
            cells[id] = dataSource?.tableView(self, cellForRowAt: indexPath)
            cells[id]?.frame = rectForRow(at: indexPath)
        }
        return cells[id]
    }

    func id(at indexPath: IndexPath) -> AnyHashable? {
        guard rows.indices ~= indexPath.section,
            rows[indexPath.section].indices ~= indexPath.row
        else { return nil }
        return rows[indexPath.section][indexPath.row]
    }

    /// Displays the rows of the data source. Cells are requested again for changed rows; reconfiguring does not replace a cell.
    func display(_ rows: [[AnyHashable]], reconfiguring changed: [AnyHashable]) {
        self.rows = rows
        guard !cells.isEmpty || !selection.isEmpty else { return }
        let ids = Set(rows.joined())
        cells = cells.filter { ids.contains($0.key) }
        for id in changed { cells[id] = nil }
        selection.formIntersection(ids)
    }

    open func selectRow(at indexPath: IndexPath?, animated: Bool) {
        guard let indexPath, let id = id(at: indexPath) else { return }
        if !allowsMultipleSelectionDuringEditing { selection = [] }
        selection.insert(id)
    }

    open var indexPathsForSelectedRows: [IndexPath]? {
        let paths = rows.indices.flatMap { section in
            rows[section].indices.filter { selection.contains(rows[section][$0]) }
                .map { IndexPath(row: $0, section: section) }
        }
        return paths.isEmpty ? nil : paths
    }

    // MARK: Places

    private static let rowHeight: CGFloat = 44
    private static let headerHeight: CGFloat = 28

    open func rect(forSection section: Int) -> CGRect {
        let above = rows[..<section].reduce(into: CGFloat(0)) {
            $0 += Self.headerHeight + CGFloat($1.count) * Self.rowHeight
        }
        let height = Self.headerHeight + CGFloat(rows[section].count) * Self.rowHeight
        return CGRect(x: 0, y: above, width: frame.width, height: height)
    }

    open func rectForRow(at indexPath: IndexPath) -> CGRect {
        guard rows.indices ~= indexPath.section else { return .zero }
        let y = rect(forSection: indexPath.section).minY + Self.headerHeight
        return CGRect(
            x: 0, y: y + CGFloat(indexPath.row) * Self.rowHeight, width: frame.width,
            height: Self.rowHeight)
    }

    open func indexPathForRow(at point: CGPoint) -> IndexPath? {
        for section in rows.indices where rect(forSection: section).contains(point) {
            let offset = point.y - rect(forSection: section).minY - Self.headerHeight
            guard offset >= 0 else { return nil }
            return IndexPath(row: Int(offset / Self.rowHeight), section: section)
        }
        return nil
    }

    func setActiveDrag(_ isActive: Bool) { hasActiveDrag = isActive }
}
