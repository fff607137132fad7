import Measuring
import ReorderEngine

/// How the tasks of a benchmark's list stand.
enum Shape: String, CaseIterable {
    /// All tasks are siblings.
    case flat
    /// Each task of the top level has ten subtasks.
    case nested
    /// Each task of the top level begins a chain of sixteen levels.
    case chains
    /// As `nested`, and every task with subtasks is collapsed.
    case collapsed

    /// Tasks that stand together: a task of the top level and what is beneath it.
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
