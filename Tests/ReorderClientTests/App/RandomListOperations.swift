import Foundation
import RandomRuns
import ReorderEngine

@testable import ReorderClient

/// Random calls of a list, as a user makes them.
@MainActor struct RandomListOperations {
    let list: LiveList
    var random: SeededGenerator
    /// A prefix of the titles that it creates.
    let name: String
    private var created = 0

    init(_ list: LiveList, seed: UInt64, name: String = "t") {
        self.list = list
        random = SeededGenerator(seed: seed)
        self.name = name
    }

    private mutating func task() -> TaskID? {
        let rows = list.rows
        return rows.isEmpty ? nil : rows[random.below(rows.count)].id
    }

    private mutating func place() -> Destination {
        let section =
            list.sections.isEmpty ? nil : list.sections[random.below(list.sections.count)].id
        guard let task = task() else { return .end(of: section) }
        switch random.below(5) {
        case 0: return .after(task)
        case 1: return .before(task)
        case 2: return .inside(task)
        case 3: return .start(of: section)
        default: return .end(of: section)
        }
    }

    /// Makes a call.
    ///
    /// - Returns: whether the list changed, and a description for messages.
    mutating func make() -> (isChanged: Bool, description: String) {
        created += 1
        let title = "\(name)\(created)"
        let kind = random.below(list.rows.count < 8 ? 24 : 20)
        guard let task = task(), kind < 20 else {
            return (list.create(title, at: place()) != nil, "create \(title)")
        }
        switch kind {
        case 0..<5:
            let section = list.sections[random.below(list.sections.count)]
            let count = section.rows.count
            let rows = IndexSet((0..<random.below(3) + 1).map { _ in random.below(count) })
            let offset = random.below(count + 1)
            return (list.move(rows, to: offset, in: section), "move \(rows) to \(offset)")
        case 5, 6:
            let section = list.sections[random.below(list.sections.count)]
            let row = random.below(section.rows.count + 1)
            let level = random.chance(50) ? random.below(3) : nil
            return (
                list.move([task], toRow: row, in: section.id, level: level), "move \(task) to row"
            )
        case 7, 8: return (list.move([task], to: place()), "move \(task)")
        case 9: return (list.rename(task, to: title), "rename \(task)")
        case 10: return (list.setCompleted(task, random.chance(50)), "complete \(task)")
        case 11: return (list.setData(task, ["n": created]), "data of \(task)")
        case 12: return (list.setLocked(task, random.chance(20)), "lock \(task)")
        case 13: return (list.toggleCollapsed(task), "fold \(task)")
        case 14: return (list.delete([task]), "delete \(task)")
        case 15 where list.sections.count < 4: return (list.createSection(title) != nil, "section")
        case 15, 16:
            guard let section = list.sections[random.below(list.sections.count)].id else {
                return (false, "nothing")
            }
            return random.chance(60)
                ? (list.moveSection(section, to: random.below(3)), "move section")
                : (list.deleteSection(section), "delete section")
        case 17: return (list.redo(), "redo")
        default: return (list.undo(), "undo")
        }
    }

    /// Whether the sections display exactly the list's rows. Which of them wait can change on other threads meanwhile.
    var isConsistent: Bool {
        guard list.isLoaded else { return list.sections.isEmpty }
        let waiting = Set(list.rows.lazy.filter(\.isWaiting).map(\.id))
        return list.sections == LiveList.Section.all(of: list.snapshot, RowMarks(waiting: waiting))
    }
}
