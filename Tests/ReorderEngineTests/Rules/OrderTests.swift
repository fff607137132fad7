import RandomRuns
import Testing

@testable import ReorderEngine

/// New orders of siblings, and the removal of done tasks.
@Suite struct OrderTests {
    private func byID(_ tasks: [TaskContent]) -> [Int] {
        tasks.indices.sorted { tasks[$0].id < tasks[$1].id }
    }

    private func ordered(
        _ outline: String, _ scope: TaskScope, offset: Int = 0
    ) throws -> (outline: String, moves: Int) {
        var list = try ReorderableList(outline, elementsOffset: offset)
        let operations = try list.reorder(scope, by: byID)
        return (list.outline, operations.count)
    }

    @Test func eachSectionAndLevelIsOrderedInItself() throws {
        let outline = "c b(y x) #s2 d a #s1 f(w v(u t)) e"
        let top = try ordered(outline, TaskScope(.list, isTopOnly: true))
        #expect(top.outline == "b(y x) c #s2 a d #s1 e f(w v(u t))" && top.moves == 3)
        let all = try ordered(outline, TaskScope(.list))
        #expect(all.outline == "b(x y) c #s2 a d #s1 e f(v(t u) w)" && all.moves == 6)
        let section = try ordered(outline, TaskScope(.section("s1"), isTopOnly: true))
        #expect(section.outline == "c b(y x) #s2 d a #s1 e f(w v(u t))")
        let none = try ordered(outline, TaskScope(.section(nil)))
        #expect(none.outline == "b(x y) c #s2 d a #s1 f(w v(u t)) e")
        let subtasks = try ordered(outline, TaskScope(.subtasks(of: "f"), isTopOnly: true))
        #expect(subtasks.outline == "c b(y x) #s2 d a #s1 f(v(u t) w) e")
    }

    @Test func lockedRowsKeepTheirPlaces() throws {
        let scope = TaskScope(.list, isTopOnly: true)
        #expect(try ordered("d c! b a", scope).outline == "a c! b d")
        #expect(try ordered("d c b! a", scope).outline == "a c b! d")
        #expect(try ordered("d c b a", scope, offset: 2).outline == "d c a b")
        #expect(try ordered("d #s c b a", scope, offset: 2).outline == "d #s c a b")
    }

    @Test func anOrderedListIsNotChanged() throws {
        #expect(try ordered("a b(c d) #s e", TaskScope(.list)).moves == 0)
        #expect(try ordered("", TaskScope(.list)).moves == 0)
    }

    @Test func anUnknownPlaceIsRefused() throws {
        var list = try ReorderableList("a")
        let order = byID
        #expect(throws: Refusal.sectionNotFound("s")) {
            try list.reorder(TaskScope(.section("s")), by: order)
        }
        #expect(throws: Refusal.taskNotFound("b")) {
            try list.reorder(TaskScope(.subtasks(of: "b")), by: order)
        }
        #expect(throws: Refusal.taskNotFound("b")) {
            try list.removeDone(TaskScope(.subtasks(of: "b")))
        }
    }

    @Test func theTasksOfAScopeAreCounted() throws {
        let list = try ReorderableList("c b(y x) #s2 d a #s1 f(w v(u t)) e")
        for (scope, count) in [
            (TaskScope(.list), 12), (TaskScope(.list, isTopOnly: true), 6),
            (TaskScope(.section(nil)), 4), (TaskScope(.section("s1"), isTopOnly: true), 2),
            (TaskScope(.subtasks(of: "f")), 4), (TaskScope(.subtasks(of: "f"), isTopOnly: true), 2),
            (TaskScope(.subtasks(of: "e")), 0),
        ] {
            #expect(try list.taskCount(in: scope, upTo: 12) == count, "\(scope)")
            #expect(try list.taskCount(in: scope, upTo: count) == count, "\(scope)")
            guard count > 0 else { continue }
            #expect(try list.taskCount(in: scope, upTo: count - 1) > count - 1, "\(scope)")
        }
    }

    #if DEBUG && os(Linux)
        /// The writer counts, so a request for a large list would delay others.
        @Test func countingStopsAtTheLimit() throws {
            let entries = (0..<2_000).flatMap { number in
                [
                    ReorderableList.Entry(content: TaskContent(id: "a\(number)", title: "")),
                    .init(content: TaskContent(id: "b\(number)", title: ""), parent: "a\(number)"),
                ]
            }
            let list = try ReorderableList(
                settings: ListSettings(title: ""), sections: [], tasks: entries)
            let before = list.forest.work.value
            #expect(try list.taskCount(in: TaskScope(.list), upTo: 10) > 10)
            #expect(list.forest.work.value - before < 100)
        }
    #endif

    // MARK: Random lists

    private func randomList(_ random: inout SeededGenerator) throws -> ReorderableList {
        let sections = (0..<random.below(3)).map { (id: "s\($0)", title: "") }
        var entries: [ReorderableList.Entry] = []
        for number in 0..<random.below(25) {
            var parent: Int?
            if random.chance(50), number > 0 { parent = random.below(number) }
            let section = random.chance(60) ? sections.indices.randomElement(using: &random) : nil
            let above = parent.map { entries[$0] }
            let content = TaskContent(
                id: "t\(number)", title: "\(random.below(6))", collapsed: random.chance(20),
                locked: random.chance(15), done: random.chance(60))
            let place = above == nil ? section.map { sections[$0].id } : above?.section
            entries.append(
                ReorderableList.Entry(
                    content: content, section: place, parent: above?.content.id))
        }
        let settings = ListSettings(title: "", elementsOffset: random.below(3))
        return try ReorderableList(settings: settings, sections: sections, tasks: entries)
    }

    private func randomScope(
        _ list: ReorderableList, _ random: inout SeededGenerator
    ) -> TaskScope {
        var scope = TaskScope(.list, isTopOnly: random.chance(50))
        switch random.below(4) {
        case 0: scope.root = .section(list.sections.randomElement(using: &random)?.id)
        case 1:
            if let task = list.taskIDs.randomElement(using: &random) {
                scope.root = .subtasks(of: task)
            }
        default: break
        }
        return scope
    }

    /// The groups of siblings of a scope, as ids.
    private func groups(_ list: ReorderableList, _ scope: TaskScope) -> [[ListTask]] {
        func children(_ parent: TaskID?, _ section: SectionID?) -> [ListTask] {
            list.tasks.filter {
                $0.placement.parent == parent && (parent != nil || $0.placement.section == section)
            }
        }
        func below(_ tasks: [ListTask]) -> [[ListTask]] {
            tasks.flatMap { task -> [[ListTask]] in
                let own = children(task.content.id, nil)
                return [own] + below(own)
            }
        }
        let tops: [[ListTask]] =
            switch scope.root {
            case .list: ([nil] + list.sections.map(\.id)).map { children(nil, $0) }
            case .section(let section): [children(nil, section)]
            case .subtasks(let task): [children(task, nil)]
            }
        return scope.isTopOnly ? tops : tops + tops.flatMap(below)
    }

    private func isLocked(_ task: ListTask) -> Bool { task.content.locked || task.isLockedByOffset }

    @Test func randomListsAreOrderedAsPlainArrays() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        for run in 0..<max(50, RandomRun.operations(percent: 5)) {
            var list = try randomList(&random)
            let scope = randomScope(list, &random)
            let before = list
            let groups = groups(list, scope)
            let operations = try list.reorder(scope) { tasks in
                tasks.indices.sorted { (tasks[$0].title, $0) < (tasks[$1].title, $1) }
            }
            let note: Comment = "run \(run) with REORDERD_SEED=\(RandomRun.seed)"
            var fewest = 0
            for group in groups {
                let free = group.filter { !isLocked($0) }
                let sorted = free.indices.sorted {
                    (free[$0].content.title, $0) < (free[$1].content.title, $1)
                }
                var next = sorted.map { free[$0] }.makeIterator()
                let target = group.map { isLocked($0) ? $0 : next.next() ?? $0 }
                let ids = target.map(\.content.id)
                let now = ids.compactMap { list.task($0) }
                    .sorted { $0.placement.position < $1.placement.position }
                #expect(now.map(\.content.id) == ids, note)
                fewest += leastMoves(
                    group.map(\.content.id), ids,
                    Set(group.filter(isLocked).map(\.content.id)))
            }
            #expect(operations.count == fewest, note)
            // Nothing but the order of these siblings has changed.
            #expect(list.taskIDs.count == before.taskIDs.count, note)
            for task in before.tasks {
                let now = list.task(task.content.id)
                #expect(now?.placement.parent == task.placement.parent, note)
                #expect(now?.placement.section == task.placement.section, note)
                if isLocked(task) {
                    #expect(now?.placement.position == task.placement.position, note)
                }
            }
            var copy = before
            try copy.apply(operations)
            #expect(copy.taskIDs == list.taskIDs, note)
        }
    }

    /// The fewest moves: between two locked rows, the longest sequence that is in order stays.
    private func leastMoves(_ now: [TaskID], _ target: [TaskID], _ locked: Set<TaskID>) -> Int {
        var moves = 0
        for part in now.split(whereSeparator: locked.contains) {
            // For each sibling, the most that stay and end with it.
            var most = Array(repeating: 0, count: now.count)
            for index in part.indices {
                let place = target.firstIndex(of: now[index]) ?? -1
                guard part.indices.contains(place) else { continue }
                let before = (part.startIndex..<index).filter {
                    (target.firstIndex(of: now[$0]) ?? -1) < place
                }
                most[index] = 1 + (before.map { most[$0] }.max() ?? 0)
            }
            moves += part.count - (most[part.indices].max() ?? 0)
        }
        return moves
    }

    @Test func randomListsLoseExactlyTheirDoneSubtrees() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        for run in 0..<max(50, RandomRun.operations(percent: 5)) {
            var list = try randomList(&random)
            let scope = randomScope(list, &random)
            let before = list
            let outcome = try list.removeDone(scope)
            let note: Comment = "run \(run) with REORDERD_SEED=\(RandomRun.seed)"
            let inScope: Set<TaskID> = Set(
                groups(before, TaskScope(scope.root)).flatMap { $0 }.map(\.content.id))
            func subtree(_ id: TaskID) -> [ListTask] {
                let own = before.tasks.filter { $0.placement.parent == id }
                return [before.task(id)].compactMap(\.self)
                    + own.flatMap { subtree($0.content.id) }
            }
            let gone = before.taskIDs.filter { id in
                inScope.contains(id)
                    && subtree(id).allSatisfy { $0.content.done && !isLocked($0) }
            }
            #expect(Set(outcome.deleted) == Set(gone), note)
            #expect(list.taskIDs == before.taskIDs.filter { !gone.contains($0) }, note)
            var copy = before
            try copy.apply(outcome.operations)
            #expect(copy.taskIDs == list.taskIDs, note)
        }
    }
}
