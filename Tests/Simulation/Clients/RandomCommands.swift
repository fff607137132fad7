import RandomRuns
import ReorderClient
import ReorderEngine
import ReorderJSON

/// Generates a user's next operation, of any kind, mostly valid.
package struct RandomCommands {
    private let name: String
    private var made = 0

    /// - Parameter name: the prefix of created ids, which makes them unique among clients.
    package init(name: String) { self.name = name }

    package mutating func next(on list: ReorderableList, _ random: inout SeededGenerator) -> Command
    {
        let count = list.count
        guard count > 0 else { return create(on: list, &random) }
        let task = self.task(of: list, &random)
        switch random.below(100) {
        case 0..<20: return .move(MoveRequest(.task(task), to: destination(on: list, &random)))
        case 20..<40:
            let row = random.below(list.rowCount)
            return .move(
                MoveRequest(.row(row), to: Destination(row: random.below(list.rowCount))))
        case 40..<46:
            let tasks = Set((0..<(2 + random.below(3))).map { _ in self.task(of: list, &random) })
            return .move(
                MoveRequest(.tasks(tasks.sorted()), to: destination(on: list, &random)))
        case 46..<58: return create(on: list, &random)
        case 58..<68: return .update(task, changes(&random))
        case 68..<78: return random.command(to: task, collapsing: 50)
        case 78..<(count > 80 ? 92 : 84): return .delete(task)
        case 92..<94:
            guard random.chance(20) else { return .settings(settings(&random)) }
            return .settings(SettingsUpdate(data: DataUpdate(json: random.listData())))
        default: return section(on: list, &random)
        }
    }

    private mutating func id() -> String {
        made += 1
        return "\(name)-\(made)"
    }

    private func task(of list: ReorderableList, _ random: inout SeededGenerator) -> TaskID {
        // Hidden tasks too, but visible rows mostly, because finding those is cheap.
        if random.chance(80), list.rowCount > 0 {
            return list.task(atRow: random.below(list.rowCount))?.id ?? ""
        }
        let index = random.below(list.count)
        return list.tasks.dropFirst(index).first { _ in true }?.id ?? ""
    }

    private mutating func create(
        on list: ReorderableList, _ random: inout SeededGenerator
    ) -> Command {
        .create(
            TaskContent(
                id: id(), title: "Task \(made)", collapsed: random.chance(10),
                locked: random.chance(3), data: random.chance(20) ? #"{"a":1}"# : nil),
            at: random.chance(20) ? Destination() : destination(on: list, &random))
    }

    private func destination(
        on list: ReorderableList, _ random: inout SeededGenerator
    ) -> Destination {
        guard list.count > 0 else { return Destination() }
        switch random.below(6) {
        case 0: return Destination(after: task(of: list, &random))
        case 1: return Destination(before: task(of: list, &random))
        case 2:
            return Destination(
                place: .init(.subtasks(of: task(of: list, &random)), position: random.below(4)))
        case 3:
            let sections = list.sections
            let section = sections.isEmpty ? nil : sections[random.below(sections.count)].id
            return Destination(
                place: .init(
                    .section(random.chance(30) ? nil : section),
                    position: random.chance(50) ? random.below(8) : nil))
        case 4: return Destination(place: .init(.own, position: random.below(8)))
        default: return Destination(place: .init(.topLevel, position: random.below(8)))
        }
    }

    private func changes(_ random: inout SeededGenerator) -> TaskUpdate {
        switch random.below(5) {
        case 0: TaskUpdate(title: "Title \(random.below(1_000))")
        case 1: TaskUpdate(done: random.chance(50))
        case 2: TaskUpdate(locked: random.chance(15))
        case 3: TaskUpdate(data: #"{"b":\#(random.below(9)),"a":null}"#)
        default: TaskUpdate(data: random.chance(50) ? "null" : #"{"c":{"d":[1,2]}}"#)
        }
    }

    private func settings(_ random: inout SeededGenerator) -> SettingsUpdate {
        switch random.below(5) {
        case 0: SettingsUpdate(title: "List \(random.below(100))")
        case 1: SettingsUpdate(elementsOffset: random.below(3))
        case 2: SettingsUpdate(collapseSubElements: random.chance(50))
        case 3: random.limits()
        default: SettingsUpdate(moves: random.chance(20) ? .siblings : .anywhere)
        }
    }

    private mutating func section(
        on list: ReorderableList, _ random: inout SeededGenerator
    ) -> Command {
        let sections = list.sections
        guard !sections.isEmpty, random.chance(75) else {
            return .createSection(
                id(), title: "Section", position: random.chance(50) ? random.below(4) : nil)
        }
        let section = sections[random.below(sections.count)].id
        switch random.below(sections.count > 5 ? 3 : 5) {
        case 0: return .deleteSection(section, tasks: random.chance(80) ? .keep : .delete)
        case 1:
            let data: DataUpdate? =
                random.below(2) == 0 ? nil : .set(#"{"color":\#(random.below(3))}"#)
            // The models of lists have no data of sections: only a new title is a change for them.
            return .updateSection(
                section, SectionUpdate(title: "Section \(random.below(1_000_000))", data: data))
        default: return .moveSection(section, position: random.below(sections.count))
        }
    }
}
