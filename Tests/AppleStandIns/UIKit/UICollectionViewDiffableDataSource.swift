// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public struct NSDiffableDataSourceTransaction<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: Sendable {
    public typealias Snapshot = NSDiffableDataSourceSnapshot<
        SectionIdentifierType, ItemIdentifierType
    >

    public let initialSnapshot: Snapshot
    public let finalSnapshot: Snapshot

    public var difference: CollectionDifference<ItemIdentifierType> {
        finalSnapshot.itemIdentifiers.difference(from: initialSnapshot.itemIdentifiers)
    }
}

@MainActor
open class UICollectionViewDiffableDataSource<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: NSObject {
    public typealias CellProvider = (
        _ collectionView: UICollectionView, _ indexPath: IndexPath,
        _ itemIdentifier: ItemIdentifierType
    ) -> UICollectionViewCell?
    public typealias Snapshot = NSDiffableDataSourceSnapshot<
        SectionIdentifierType, ItemIdentifierType
    >
    public typealias Transaction = NSDiffableDataSourceTransaction<
        SectionIdentifierType, ItemIdentifierType
    >

    @MainActor public struct ReorderingHandlers {
        public var canReorderItem: ((ItemIdentifierType) -> Bool)?
        public var willReorder: ((Transaction) -> Void)?
        public var didReorder: ((Transaction) -> Void)?
    }

    open var reorderingHandlers = ReorderingHandlers()
    private let cellProvider: CellProvider
    private var current = Snapshot()

    public init(
        collectionView: UICollectionView, cellProvider: @escaping CellProvider
    ) {
        self.cellProvider = cellProvider
        super.init()
        collectionView.reordering = self
    }

    open func snapshot() -> Snapshot { current }

    open func apply(
        _ snapshot: Snapshot, animatingDifferences: Bool = true,
        completion: (() -> Void)? = nil
    ) {
        current = snapshot.applied
        completion?()
    }

    open func itemIdentifier(for indexPath: IndexPath) -> ItemIdentifierType? {
        guard current.rows.indices ~= indexPath.section,
            current.rows[indexPath.section].indices ~= indexPath.item
        else { return nil }
        return current.rows[indexPath.section][indexPath.item]
    }

    open func indexPath(for itemIdentifier: ItemIdentifierType) -> IndexPath? {
        for (section, items) in current.rows.enumerated() {
            if let item = items.firstIndex(of: itemIdentifier) {
                return IndexPath(item: item, section: section)
            }
        }
        return nil
    }

    open func sectionIdentifier(for index: Int) -> SectionIdentifierType? {
        current.sectionIdentifiers.indices ~= index ? current.sectionIdentifiers[index] : nil
    }

    open func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        guard let item = itemIdentifier(for: indexPath),
            let cell = cellProvider(collectionView, indexPath, item)
        else { preconditionFailure("there is no cell for an item") }
        return cell
    }
}

extension UICollectionViewDiffableDataSource: ImitatedReordering {
    func canReorder(at path: IndexPath) -> Bool {
        itemIdentifier(for: path).map { reorderingHandlers.canReorderItem?($0) == true } ?? false
    }

    /// As in UIKit, the data source has the final snapshot when it calls the handler.
    func reorder(from source: IndexPath, to target: IndexPath) {
        let initial = current
        var rows = initial.rows
        rows[target.section].insert(rows[source.section].remove(at: source.item), at: target.item)
        var final = Snapshot()
        final.appendSections(initial.sectionIdentifiers)
        for (section, items) in zip(initial.sectionIdentifiers, rows) {
            final.appendItems(items, toSection: section)
        }
        let transaction = Transaction(initialSnapshot: initial, finalSnapshot: final)
        reorderingHandlers.willReorder?(transaction)
        current = final
        reorderingHandlers.didReorder?(transaction)
    }
}
