import ReorderEngine

/// What the adapters need of a ``LiveList``. Tests have one without a client.
@MainActor package protocol DisplayedList: AnyObject {
    var sections: [LiveList.Section] { get }
    var snapshot: ReorderableList { get }
    func row(_ task: TaskID) -> LiveList.Row?
    func move(_ tasks: [TaskID], to place: Destination) -> Bool
    @discardableResult func delete(_ tasks: [TaskID]) -> Bool
    /// Shows other people that a task is being dragged, until the result is released; nil if they can't be reached.
    func announceDrag(of task: TaskID) -> DragAnnouncement?
}

extension LiveList: DisplayedList {}

/// The identifier of a section of a table view or a collection view.
public struct DisplayedSection: Hashable, Sendable {
    /// The section's id; nil for the rows without a section.
    public let id: SectionID?

    /// Creates the identifier of a section.
    package init(id: SectionID?) { self.id = id }
}
