// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// The sections and items of a data source. As in UIKit, an item or a section that is added twice, and an item added without a
/// section, end the program.
public struct NSDiffableDataSourceSnapshot<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: Sendable {
    public private(set) var sectionIdentifiers: [SectionIdentifierType] = []
    private var items: [[ItemIdentifierType]] = []
    private var known: Set<ItemIdentifierType> = []
    public private(set) var reconfiguredItemIdentifiers: [ItemIdentifierType] = []

    public init() {}

    public var itemIdentifiers: [ItemIdentifierType] { items.flatMap(\.self) }
    public var numberOfItems: Int { items.reduce(0) { $0 + $1.count } }
    public var numberOfSections: Int { items.count }

    public func numberOfItems(inSection identifier: SectionIdentifierType) -> Int {
        itemIdentifiers(inSection: identifier).count
    }

    public func itemIdentifiers(
        inSection identifier: SectionIdentifierType
    ) -> [ItemIdentifierType] {
        items[index(of: identifier)]
    }

    public func sectionIdentifier(
        containingItem identifier: ItemIdentifierType
    ) -> SectionIdentifierType? {
        items.firstIndex { $0.contains(identifier) }.map { sectionIdentifiers[$0] }
    }

    public func indexOfItem(_ identifier: ItemIdentifierType) -> Int? {
        itemIdentifiers.firstIndex(of: identifier)
    }

    public func indexOfSection(_ identifier: SectionIdentifierType) -> Int? {
        sectionIdentifiers.firstIndex(of: identifier)
    }

    public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {
        for identifier in identifiers {
            precondition(!sectionIdentifiers.contains(identifier), "a section was added twice")
            sectionIdentifiers.append(identifier)
            items.append([])
        }
    }

    public mutating func appendItems(
        _ identifiers: [ItemIdentifierType],
        toSection sectionIdentifier: SectionIdentifierType? = nil
    ) {
        let section = sectionIdentifier.map { index(of: $0) } ?? items.count - 1
        precondition(section >= 0, "there is no section")
        for identifier in identifiers {
            precondition(known.insert(identifier).inserted, "an item was added twice")
        }
        items[section] += identifiers
    }

    public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
        precondition(known.isSuperset(of: identifiers), "the item is not in the snapshot")
        reconfiguredItemIdentifiers += identifiers
    }

    private func index(of identifier: SectionIdentifierType) -> Int {
        guard let index = sectionIdentifiers.firstIndex(of: identifier) else {
            preconditionFailure("the section is not in the snapshot")
        }
        return index
    }

    /// The same rows, as a data source has them after it was applied.
    var applied: Self {
        var applied = self
        applied.reconfiguredItemIdentifiers = []
        return applied
    }

    /// The items by section.
    var rows: [[ItemIdentifierType]] { items }
}
