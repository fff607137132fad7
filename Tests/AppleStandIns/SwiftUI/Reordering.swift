// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The reordering containers of iOS 27.

public struct ReorderDifference<ItemID, CollectionID> {
    public struct Destination {
        public enum Position {
            case before(ItemID)
            case end
        }

        public var position: Position
        public var collectionID: CollectionID

        public init(position: Position, collectionID: CollectionID) {
            self.position = position
            self.collectionID = collectionID
        }
    }

    public var sources: [ItemID]
    public var destination: Destination
}

extension DynamicViewContent {
    nonisolated public func reorderable(
        collectionID: some Hashable & Sendable
    ) -> some DynamicViewContent { ModifiedView() }
}

extension View {
    nonisolated public func reorderContainer<Item: Identifiable, CollectionID: Hashable & Sendable>(
        for item: Item.Type, in collectionID: CollectionID.Type, isEnabled: Bool = true,
        move: @escaping (ReorderDifference<Item.ID, CollectionID>) -> Void
    ) -> some View where Item.ID: Sendable { ModifiedView() }
}
