// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@MainActor open class UICollectionViewLayout: NSObject {}

open class UICollectionViewCompositionalLayout: UICollectionViewLayout {
    public static func list(
        using configuration: UICollectionLayoutListConfiguration
    ) -> UICollectionViewCompositionalLayout { UICollectionViewCompositionalLayout() }
}

@MainActor public struct UICollectionLayoutListConfiguration {
    public enum Appearance: Int, Sendable { case plain, grouped, insetGrouped, sidebar }

    public init(appearance: Appearance) {}
}

@MainActor open class UICollectionViewCell: UIView {
    public let contentView = UIView()
    open var contentConfiguration: (any UIContentConfiguration)?
    open var indentationLevel = 0

    public required override init(frame: CGRect) { super.init(frame: frame) }
}

open class UICollectionViewListCell: UICollectionViewCell {
    open var accessories: [UICellAccessory] = []

    open func defaultContentConfiguration() -> UIListContentConfiguration {
        UIListContentConfiguration()
    }
}

@MainActor public struct UICellAccessory {
    public static func reorder() -> UICellAccessory { UICellAccessory() }
}

@MainActor public protocol UICollectionViewDelegate: NSObjectProtocol {
    func collectionView(
        _ collectionView: UICollectionView,
        targetIndexPathForMoveOfItemFromOriginalIndexPath originalIndexPath: IndexPath,
        atCurrentIndexPath currentIndexPath: IndexPath,
        toProposedIndexPath proposedIndexPath: IndexPath
    ) -> IndexPath
}

extension UICollectionViewDelegate {
    public func collectionView(
        _ collectionView: UICollectionView,
        targetIndexPathForMoveOfItemFromOriginalIndexPath originalIndexPath: IndexPath,
        atCurrentIndexPath currentIndexPath: IndexPath,
        toProposedIndexPath proposedIndexPath: IndexPath
    ) -> IndexPath { proposedIndexPath }
}

@MainActor open class UICollectionView: UIScrollView {
    open weak var delegate: (any UICollectionViewDelegate)?
    open var isEditing = false
    var reordering: (any ImitatedReordering)?

    public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
        super.init(frame: frame)
    }

    @MainActor public struct CellRegistration<Cell: UICollectionViewCell, Item> {
        public typealias Handler = (_ cell: Cell, _ indexPath: IndexPath, _ item: Item) -> Void
        let handler: Handler

        public init(handler: @escaping Handler) { self.handler = handler }
    }

    open func dequeueConfiguredReusableCell<Cell: UICollectionViewCell, Item>(
        using registration: CellRegistration<Cell, Item>, for indexPath: IndexPath, item: Item?
    ) -> Cell {
        let cell = Cell(frame: .zero)
        if let item { registration.handler(cell, indexPath, item) }
        return cell
    }

    /// Imitates an interactive move of an item.
    ///
    /// - Returns: where the item was dropped; nil if it can't be dragged.
    @discardableResult public func imitateReordering(
        from source: IndexPath, to proposed: IndexPath
    ) -> IndexPath? {
        guard let reordering, reordering.canReorder(at: source) else { return nil }
        let target =
            delegate?.collectionView(
                self, targetIndexPathForMoveOfItemFromOriginalIndexPath: source,
                atCurrentIndexPath: source, toProposedIndexPath: proposed) ?? proposed
        if target != source { reordering.reorder(from: source, to: target) }
        return target
    }
}

/// What the imitated move needs of a data source.
@MainActor protocol ImitatedReordering: AnyObject {
    func canReorder(at path: IndexPath) -> Bool
    func reorder(from source: IndexPath, to target: IndexPath)
}
