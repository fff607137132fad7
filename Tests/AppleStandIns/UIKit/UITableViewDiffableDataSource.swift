// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@MainActor
open class UITableViewDiffableDataSource<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: NSObject, UITableViewDataSource {
    public typealias CellProvider = (
        _ tableView: UITableView, _ indexPath: IndexPath, _ itemIdentifier: ItemIdentifierType
    ) -> UITableViewCell?
    public typealias Snapshot = NSDiffableDataSourceSnapshot<
        SectionIdentifierType, ItemIdentifierType
    >

    open var defaultRowAnimation = UITableView.RowAnimation.automatic
    private weak var tableView: UITableView?
    private let cellProvider: CellProvider
    private var current = Snapshot()

    public init(tableView: UITableView, cellProvider: @escaping CellProvider) {
        self.tableView = tableView
        self.cellProvider = cellProvider
        super.init()
        tableView.dataSource = self
    }

    open func snapshot() -> Snapshot { current }

    open func apply(
        _ snapshot: Snapshot, animatingDifferences: Bool = true,
        completion: (() -> Void)? = nil
    ) {
        let changed = snapshot.reconfiguredItemIdentifiers
        current = snapshot.applied
        tableView?.display(
            current.rows.map { $0.map(AnyHashable.init) },
            reconfiguring: changed.map(AnyHashable.init))
        completion?()
    }

    open func itemIdentifier(for indexPath: IndexPath) -> ItemIdentifierType? {
        guard current.rows.indices ~= indexPath.section,
            current.rows[indexPath.section].indices ~= indexPath.row
        else { return nil }
        return current.rows[indexPath.section][indexPath.row]
    }

    open func indexPath(for itemIdentifier: ItemIdentifierType) -> IndexPath? {
        for (section, items) in current.rows.enumerated() {
            if let row = items.firstIndex(of: itemIdentifier) {
                return IndexPath(row: row, section: section)
            }
        }
        return nil
    }

    open func sectionIdentifier(for index: Int) -> SectionIdentifierType? {
        current.sectionIdentifiers.indices ~= index ? current.sectionIdentifiers[index] : nil
    }

    open func index(for sectionIdentifier: SectionIdentifierType) -> Int? {
        current.indexOfSection(sectionIdentifier)
    }

    // MARK: The table view's data source

    open func numberOfSections(in tableView: UITableView) -> Int { current.numberOfSections }

    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        current.rows[section].count
    }

    open func tableView(
        _ tableView: UITableView, cellForRowAt indexPath: IndexPath
    ) -> UITableViewCell {
        guard let item = itemIdentifier(for: indexPath),
            let cell = cellProvider(tableView, indexPath, item)
        else { preconditionFailure("there is no cell for a row") }
        return cell
    }

    open func tableView(
        _ tableView: UITableView, titleForHeaderInSection section: Int
    ) -> String? { nil }

    open func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool {
        false
    }

    open func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
        false
    }

    open func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
        forRowAt indexPath: IndexPath
    ) {}

    open func tableView(
        _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath,
        to destinationIndexPath: IndexPath
    ) {}
}
