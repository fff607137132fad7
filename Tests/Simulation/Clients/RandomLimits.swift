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
}
