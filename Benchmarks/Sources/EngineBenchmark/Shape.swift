import Measuring
@testable import ReorderEngine

/// The structure of a benchmark's list.
enum Shape: String, CaseIterable {
    /// All tasks are siblings.
    case flat
    /// Each top-level task has ten subtasks.
    case nested
    /// Each top-level task begins a chain of sixteen levels.
    case chains
    /// Like `nested`, with all parents collapsed.
    case collapsed

    /// The size of the subtree of a top-level task.
    var groupSize: Int {
        switch self {
        case .flat: 1
        case .nested, .collapsed: 11
        case .chains: 16
        }
    }

    /// A list of `size` tasks with ids of 36 bytes and titles of 24.
    func list(of size: Int) -> ReorderableList {
        var list = ReorderableList(settings: ListSettings(title: "Benchmark"))
        for number in 0..<size {
            let place = number % groupSize
            let content = TaskContent(
                id: taskID(number), title: taskTitle(number),
                collapsed: self == .collapsed && place == 0)
            let parent = self == .chains ? number - 1 : number - place
            let siblings: Destination.Siblings =
                place == 0 ? .section(nil) : .subtasks(of: taskID(parent))
            let destination = Destination(place: .init(siblings))
            do {
                _ = try list.create(content, at: destination)
            } catch {
                preconditionFailure("the benchmark's list can't be made: \(error)")
            }
        }
        return list
    }
}
