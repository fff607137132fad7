import ReorderEngine

@testable import ReorderClient

/// A list without a client: changes are made at once.
@MainActor final class LocalList: DisplayedList {
    private(set) var snapshot: ReorderableList
    private(set) var sections: [LiveList.Section]
    private(set) var moves = 0

    init(_ list: ReorderableList) {
        snapshot = list
        sections = LiveList.Section.all(of: list, RowMarks())
    }

    func set(_ list: ReorderableList) {
        snapshot = list
        sections = LiveList.Section.all(of: list, RowMarks())
    }

    func row(_ task: TaskID) -> LiveList.Row? { snapshot.task(task).map { RowMarks().row($0) } }

    func move(_ tasks: [TaskID], to place: Destination) -> Bool {
        moves += 1
        guard let outcome = try? snapshot.move(MoveRequest(.naming(tasks), to: place)) else {
            return false
        }
        sections = LiveList.Section.all(of: snapshot, RowMarks())
        return outcome.changed
    }

    func delete(_ tasks: [TaskID]) -> Bool { false }

    func announceDrag(of task: TaskID) -> DragAnnouncement? { nil }
}
