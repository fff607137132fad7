import ReorderService

extension PieceSizes {
    /// Sizes that the small lists of a simulation exceed.
    static var small: PieceSizes {
        var pieces = PieceSizes()
        (pieces.examinedTasks, pieces.searchedLists) = (4, 2)
        (pieces.feedChanges, pieces.feedDistance, pieces.feedLists) = (3, 12, 2)
        (pieces.feedIDInterval, pieces.streamBytes) = (4, 300)
        (pieces.removedRows, pieces.removedLists) = (2, 1)
        return pieces
    }
}
