import ReorderEngine
import ReorderJSON

/// Several requests as one change. There must be room for tasks at its end only.
package struct ModelStep {
    package private(set) var list: ListModel
    package private(set) var isChanged = false
    private let former: ListModel
    /// The lists before and after each request that found no room.
    private var crowded: [(before: ListModel, after: ListModel, refusal: Refusal)] = []

    package init(on list: ListModel) {
        self.list = list
        former = list
    }

    package mutating func perform(_ command: Command) throws(Refusal) {
        let before = list
        do throws(Refusal) {
            if try list.perform(command).changed { isChanged = true }
        } catch {
            guard error == .sectionFull || error == .parentFull else { throw error }
            list.checksRoom = false
            defer { list.checksRoom = true }
            if try list.perform(command).changed { isChanged = true }
            crowded.append((before, list, error))
        }
    }

    /// The list after the step.
    package func end() throws(Refusal) -> ListModel {
        for one in crowded
        where !list.hasRoom(forTasksArrivedIn: one.after, insteadOf: one.before, since: former) {
            throw one.refusal
        }
        return list
    }
}

extension ListModel {
    /// Whether no section and no task that got tasks has more of them than its limit and than before the
    /// step.
    fileprivate func hasRoom(
        forTasksArrivedIn after: ListModel, insteadOf before: ListModel, since former: ListModel
    ) -> Bool {
        func hasRoom(_ limit: Int?, _ count: (ListModel) -> Int) -> Bool {
            count(after) <= count(before) || count(self) <= max(count(former), limit ?? .max)
        }
        let sectionsHaveRoom = sections.dropFirst().allSatisfy { section in
            hasRoom(settings.maxTasksPerSection) { list in
                list.sections.first { $0.id == section.id }?.tasks.count ?? 0
            }
        }
        return sectionsHaveRoom
            && tasks.allSatisfy { task in
                hasRoom(settings.tasksPerParent) { $0.task(task.id)?.subtasks ?? 0 }
            }
    }
}
