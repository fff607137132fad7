import ReorderEngine

@testable import ReorderClient

/// A list without a client: changes are made at once.
@MainActor final class LocalList: DisplayedList {
    private(set) var snapshot: ReorderableList
    private(set) var sections: [LiveList.Section]
    /// Whether a move has changed the list.
    private(set) var isChanged = false
    private let original: (list: ReorderableList, sections: [LiveList.Section])

    init(_ list: ReorderableList) {
        snapshot = list
        sections = LiveList.Section.all(of: list, RowMarks())
        original = (list, sections)
    }

    /// Back to the list before the moves.
    func reset() {
        (snapshot, sections) = original
        isChanged = false
    }

    func row(_ task: TaskID) -> LiveList.Row? { snapshot.task(task).map { RowMarks().row($0) } }

    func move(_ tasks: [TaskID], to place: Destination) -> Bool {
        guard let outcome = try? snapshot.move(MoveRequest(.naming(tasks), to: place)) else {
            return false
        }
        sections = LiveList.Section.all(of: snapshot, RowMarks())
        isChanged = true
        return outcome.changed
    }

    func delete(_ tasks: [TaskID]) -> Bool { false }

    func announceDrag(of task: TaskID) -> DragAnnouncement? { nil }
}
