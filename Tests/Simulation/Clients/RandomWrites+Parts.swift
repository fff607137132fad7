import ListModel
import RandomRuns
import ReorderEngine
import ReorderJSON

// The parts of requests: tasks, destinations and new values.

extension RandomWrites {
    mutating func create(in list: String) -> Command {
        .create(
            TaskContent(id: newTaskID(), title: "by \(name) \(count)"),
            at: random.chance(40) ? Destination() : destination(in: list, byRows: false))
    }

    mutating func move(in list: String) -> MoveRequest {
        let model = lists[list].map { ListModel($0) }
        return usual(in: model) { writes in
            MoveRequest(writes.subject(in: list), to: writes.destination(in: list))
        }
    }

    /// One of a few random moves: usually one that the model makes.
    mutating func usual(
        in model: ListModel?, _ make: (inout RandomWrites) -> MoveRequest
    ) -> MoveRequest {
        var move = make(&self)
        for _ in 0..<4 {
            var moved = model
            if random.chance(15) || (try? moved?.move(move).changed) == true { break }
            move = make(&self)
        }
        return move
    }

    mutating func subject(in list: String, byRows: Bool = true) -> MoveRequest.Subject {
        if byRows, random.chance(10), let rows = lists[list]?.rowCount, rows > 0 {
            return .row(random.below(rows + 1))
        }
        guard random.chance(25) else { return .task(task(in: list)) }
        // Tasks that show their subtasks, or any.
        let open = lists[list]?.tasks.filter { $0.subtasks > 0 && !$0.content.collapsed } ?? []
        let areOpen = open.count > 1 && random.chance(60)
        var tasks: [String] = []
        for _ in 0..<2 + random.below(2) {
            let task = areOpen ? open[random.below(open.count)].id : task(in: list)
            if !tasks.contains(task) { tasks.append(task) }
        }
        return .tasks(tasks)
    }

    mutating func destination(in list: String, byRows: Bool = true) -> Destination {
        switch random.below(byRows ? 9 : 7) {
        case 0, 1: Destination(place: .init(.own, position: random.below(6)))
        case 2: Destination(after: task(in: list), place: .init(.own, position: 0))
        case 3: Destination(before: task(in: list))
        case 4:
            Destination(
                place: .init(random.chance(30) ? .topLevel : .subtasks(of: task(in: list))))
        case 5: Destination(place: .init(.section(random.chance(40) ? nil : section(in: list))))
        case 6:
            Destination(
                after: task(in: list), before: task(in: list),
                place: .init(.section(random.chance(60) ? nil : section(in: list)), position: 1))
        case 7: Destination(row: random.below((lists[list]?.rowCount ?? 0) + 2))
        default:
            Destination(
                RowDestination(
                    .path(random.chance(40) ? nil : section(in: list), row: random.below(4))))
        }
    }

    /// A task that usually has subtasks.
    ///
    /// - Parameter list: its list; nil means any list.
    mutating func parent(in list: String? = nil) -> String {
        let parents = (list.map { [$0] } ?? lists.keys.sorted()).flatMap { list in
            lists[list]?.tasks.filter { $0.subtasks > 0 }.map(\.id) ?? []
        }
        return parents.isEmpty || random.chance(20)
            ? task(in: list) : parents[random.below(parents.count)]
    }

    mutating func update() -> TaskUpdate {
        switch random.below(4) {
        case 0: TaskUpdate(title: "Title \(random.below(9))")
        case 1: TaskUpdate(done: random.chance(50))
        case 2: TaskUpdate(locked: random.chance(35))
        default: TaskUpdate(data: "{\"a\":\(random.below(9))}")
        }
    }

    mutating func settings() -> SettingsUpdate {
        switch random.below(6) {
        case 0, 1: SettingsUpdate(elementsOffset: random.below(3))
        case 2, 3: SettingsUpdate(collapseSubElements: random.chance(60))
        case 4:
            random.chance(30)
                ? SettingsUpdate(
                    data: random.chance(30) ? .remove : .set("[\(random.below(100))]"))
                : random.limits()
        default: SettingsUpdate(moves: random.chance(25) ? .siblings : .anywhere)
        }
    }

    mutating func sectionRequest(_ list: String) -> Command {
        let section = section(in: list)
        let hasSections = lists[list]?.sections.isEmpty == false
        switch hasSections || random.chance(10) ? random.below(6) : 0 {
        case 0:
            return .createSection(
                "s\(random.below(3))", title: "S\(random.below(3))", position: nil)
        case 1, 2: return .moveSection(section, position: random.below(3))
        case 3: return .updateSection(section, SectionUpdate(title: "S\(random.below(3))"))
        default: return .deleteSection(section, tasks: random.chance(50) ? .keep : .delete)
        }
    }
}
