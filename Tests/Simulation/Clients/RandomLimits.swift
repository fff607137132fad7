import ListModel
import RandomRuns
import ReorderEngine

extension SeededGenerator {
    /// Sets or removes one of the limits of a list. A limit can be less than what the list has.
    mutating func limits() -> SettingsUpdate {
        let limit: LimitUpdate = chance(40) ? .remove : .set(1 + below(4))
        return switch below(3) {
        case 0: SettingsUpdate(maxDepth: limit)
        case 1: SettingsUpdate(maxTasksPerSection: limit)
        default: SettingsUpdate(tasksPerParent: limit)
        }
    }

    /// The data of a list. It has no members, so a patch replaces it.
    mutating func listData() -> String { chance(20) ? "null" : "[\(below(100))]" }

    /// Limits that a list keeps, with room for one more: not for a block of two.
    mutating func limits(of list: ListModel) -> SettingsUpdate {
        let levels = list.tasks.map { $0.depth + 1 }.max() ?? 1
        let tasks = list.sections.filter { $0.id != nil }.map(\.tasks.count).max() ?? 1
        let subtasks = list.tasks.map(\.subtasks).max() ?? 1
        return SettingsUpdate(
            maxDepth: .set(levels + below(2)), maxTasksPerSection: .set(tasks + 1),
            tasksPerParent: .set(subtasks + 1))
    }
}

extension ListSettings {
    /// The limits as members of a document, after other members.
    var limitMembers: String {
        let limits = [
            ("maxDepth", maxDepth), ("maxTasksPerSection", maxTasksPerSection),
            ("tasksPerParent", tasksPerParent),
        ]
        return limits.map { name, limit in limit.map { ",\"\(name)\":\($0)" } ?? "" }.joined()
    }
}
