import RandomRuns
import ReorderEngine
import ReorderJSON

/// Generates requests that are mostly valid.
package struct RandomRequests {
    package var random: SeededGenerator
    /// The approximate number of tasks in the list.
    let size: Int
    /// The probability, in percent, that a new task becomes a subtask of the last created one.
    let nesting: Int
    /// The probability, in percent, that a list locks its first rows.
    private let locking: Int
    private var made = 0

    package init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        nesting = [0, 40, 40, 96][random.below(4)]
        locking = random.chance(25) ? 90 : 40
        // Chains need enough tasks to reach the depth limit.
        size =
            nesting == 96 ? 18 + random.below(12) : random.below(random.chance(20) ? 60 : 16)
    }

    package mutating func next(for list: ListModel) -> Command {
        let tasks = list.tasks
        if random.below(2 * size + 1) >= tasks.count, random.chance(15) {
            return .create(newTask(in: tasks), at: destination(tasks, list, inside: []))
        }
        if tasks.count > size, random.chance(10) { return .delete(task(tasks)) }
        switch random.below(100) {
        case 0..<61: return .move(move(tasks, list))
        case 61..<73: return random.command(to: task(tasks))
        case 73..<79: return .update(task(tasks), update())
        case 79..<82: return .delete(task(tasks))
        case 82..<88: return .settings(settings())
        case 88..<92:
            return .createSection(
                sectionName(), title: title(), position: position(list.sections.count))
        case 92..<94: return .updateSection(section(list) ?? "gone", SectionUpdate(title: title()))
        case 94..<97:
            return .moveSection(
                section(list) ?? "gone", position: position(list.sections.count) ?? .max)
        default:
            return .deleteSection(
                section(list) ?? "gone", tasks: random.chance(80) ? .keep : .delete)
        }
    }
}

// MARK: - Documents

extension RandomRequests {
    /// A document and its model. The tasks are in random order, except that parents precede their
    /// children.
    package mutating func document() -> (
        sections: [(id: SectionID, title: String)], tasks: [ReorderableList.Entry], ListModel
    ) {
        var model = ListModel(settings: ListSettings(title: "list"))
        _ = model.update(settings())
        for number in 0..<random.below(4) {
            model.sections.append(.init(id: "s\(number)", title: title()))
        }
        var entries: [ReorderableList.Entry] = []
        for _ in 0..<random.below(size + 1) {
            let content = newTask(in: [])
            let parents = model.tasks.filter { $0.depth < 15 }
            let parent =
                random.chance(nesting)
                ? parents.first { $0.id == entries.last?.content.id }
                : random.chance(40) ? parents.randomElement(using: &random) : nil
            let section = parent.map(\.placement.section) ?? section(of: model)
            let siblings = parent.map { ListModel.Siblings.under($0.id) } ?? .top(section)
            let node = ListModel.Node(content: content)
            model.insert([node], at: model.nodes(siblings).count, among: siblings)
            let explicitSection = parent == nil || random.chance(50) ? section : nil
            entries.append(.init(content: content, section: explicitSection, parent: parent?.id))
        }
        let sections = model.sections.compactMap { section in
            section.id.map { (id: $0, title: section.title) }
        }
        return (sections, entries, model)
    }

    private mutating func section(of list: ListModel) -> SectionID? {
        list.sections.randomElement(using: &random)?.id
    }
}

// MARK: - Moves

extension RandomRequests {
    /// A move to another list, mostly with existing destinations.
    package mutating func transfer(from list: ListModel, to other: ListModel) -> MoveRequest {
        let destination = move(other.tasks, other).destination
        return destination.rows == nil
            ? MoveRequest(move(list.tasks, list).subject, to: destination)
            : MoveRequest(rows(of: list), to: destination)
    }

    /// A move by rows of states that a person has seen, within a list or to another one. Its tasks exist there.
    package mutating func rowMove(in list: ListModel, to other: ListModel?) -> MoveRequest {
        while true {
            let request =
                other.map { transfer(from: list, to: $0) } ?? move(list.tasks, list)
            let named = Command.move(request).tasks
            // What is wrong first depends on the place where the rows are counted.
            if request.countsRows, named.allSatisfy({ list.task($0) != nil }) { return request }
        }
    }

    private mutating func move(_ tasks: [ListTask], _ list: ListModel) -> MoveRequest {
        if random.chance(25) {
            let subject = random.chance(80) ? rows(of: list) : .task(task(tasks))
            let named = (try? list.tasks(named: subject)) ?? []
            let inside = named.flatMap { list.subtree(of: $0.id) }
            return MoveRequest(
                subject,
                to: random.chance(80)
                    ? Destination(between(list)) : destination(tasks, list, inside: inside))
        }
        var named = [task(tasks)]
        if random.chance(30) {
            for _ in 0..<random.below(4) { named.append(task(tasks)) }
            let children = named.flatMap { list.subtree(of: $0) }
            if random.chance(20), let child = children.randomElement(using: &random) {
                named.insert(child, at: random.below(named.count + 1))
            }
        }
        let inside = named.flatMap { list.subtree(of: $0) }
        let subject =
            named.count == 1 && random.chance(90)
            ? MoveRequest.Subject.task(named[0]) : .tasks(named)
        return MoveRequest(subject, to: destination(tasks, list, inside: inside))
    }

    private mutating func rows(of list: ListModel) -> MoveRequest.Subject {
        let rows = list.rows.count + (random.chance(10) ? 3 : 0)
        if random.chance(1) { return .row(random.chance(50) ? -1 : .max) }
        switch random.below(6) {
        case 0: return .path(section(list), row: random.below(1 + rows / 2))
        case 1:
            return .rows(Array(Set((0...random.below(3)).map { _ in random.below(rows) })))
        default: return .row(random.below(rows))
        }
    }

    private mutating func between(_ list: ListModel) -> RowDestination {
        let row =
            random.chance(2) ? -1 : random.chance(2) ? .max : random.below(list.rows.count + 2)
        let target: RowTarget =
            switch random.below(8) {
            case 0..<3: .row(row)
            case 3: .rowInSection(row, section(list))
            case 4: .path(section(list), row: row)
            case 5..<7: .offset(row)
            default: .offsetInSection(section(list), row)
            }
        return RowDestination(target, level: random.chance(40) ? random.below(4) : nil)
    }

    private mutating func destination(
        _ tasks: [ListTask], _ list: ListModel, inside: [TaskID]
    ) -> Destination {
        if nesting > 90, random.chance(60) {
            // Below the deepest task, to restore the chains that other moves break.
            let deepest = tasks.filter { !inside.contains($0.id) }.max { $0.depth < $1.depth }
            return Destination(
                place: .init(.subtasks(of: deepest?.id ?? "gone")))
        }
        if random.chance(10) { return parted(tasks, list, inside) }
        var destination = Destination()
        if random.chance(35) { destination.after = anchor(tasks, inside) }
        if random.chance(30) { destination.before = anchor(tasks, inside) }
        if random.chance(50) {
            let siblings: Destination.Siblings =
                switch random.below(10) {
                case 0..<5: .subtasks(of: anchor(tasks, inside))
                case 5..<7: .section(section(list))
                case 7: .topLevel
                default: .own
                }
            destination.place = .init(siblings, position: position(6))
        }
        return destination
    }

    /// Two neighbors, and the place of one of them, where the other one may have been.
    private mutating func parted(
        _ tasks: [ListTask], _ list: ListModel, _ inside: [TaskID]
    ) -> Destination {
        var destination = Destination(after: anchor(tasks, inside), before: anchor(tasks, inside))
        let seen = random.chance(50) ? destination.before : destination.after
        guard let place = seen.flatMap({ list.task($0) })?.placement else { return destination }
        let siblings = place.parent.map { Destination.Siblings.subtasks(of: $0) }
        destination.place = .init(siblings ?? .section(place.section), position: position(6))
        return destination
    }

    private mutating func anchor(_ tasks: [ListTask], _ inside: [TaskID]) -> TaskID {
        random.chance(15) ? inside.randomElement(using: &random) ?? "gone" : task(tasks)
    }
}

// MARK: - Other requests

extension RandomRequests {
    private mutating func task(_ tasks: [ListTask]) -> TaskID {
        random.chance(3) ? "gone" : tasks.randomElement(using: &random)?.id ?? "gone"
    }

    private mutating func section(_ list: ListModel) -> SectionID? {
        random.chance(5) ? "gone" : section(of: list)
    }

    private mutating func sectionName() -> SectionID { "s\(random.below(6))" }

    private mutating func title() -> String { "T\(random.below(3))" }

    private mutating func position(_ usual: Int) -> Int? {
        switch random.below(10) {
        case 0..<2: nil
        case 2: [.min, -1, usual + 100, .max][random.below(4)]
        default: random.below(usual)
        }
    }

    private mutating func data() -> String { "{\"n\":\(random.below(3))}" }

    private mutating func newTask(in tasks: [ListTask]) -> TaskContent {
        made += 1
        let taken = random.chance(3) ? tasks.randomElement(using: &random)?.id : nil
        return TaskContent(
            id: taken ?? "t\(made)", title: title(), collapsed: random.chance(15),
            locked: random.chance(5), done: random.chance(10),
            data: random.chance(10) ? "{}" : nil)
    }

    private mutating func update() -> TaskUpdate {
        var patch = TaskUpdate()
        if random.chance(40) { patch.title = title() }
        if random.chance(40) { patch.done = random.chance(50) }
        if random.chance(30) { patch.locked = random.chance(20) }
        if random.chance(40) { patch.data = random.chance(50) ? .remove : .set(data()) }
        return patch
    }

    private mutating func settings() -> SettingsUpdate {
        var update = SettingsUpdate()
        if random.chance(20) { update.title = title() }
        if random.chance(40) {
            update.elementsOffset = random.chance(locking) ? random.below(7) - 1 : 0
        }
        if random.chance(30) { update.collapseSubElements = random.chance(50) }
        if random.chance(30) { update.moves = random.chance(75) ? .anywhere : .siblings }
        if random.chance(20) { update.maxDepth = limit(nesting > 90 ? 16 : 4) }
        if random.chance(20) { update.maxTasksPerSection = limit(4) }
        if random.chance(20) { update.tasksPerParent = limit(3) }
        if random.chance(20) { update.data = random.chance(40) ? .remove : .set(data()) }
        return update
    }

    private mutating func limit(_ most: Int) -> LimitUpdate {
        random.chance(50) ? .remove : .set(1 + random.below(most))
    }
}
