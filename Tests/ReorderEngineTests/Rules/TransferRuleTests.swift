import ReorderEngine
import Testing

/// Moves of tasks to another list.
@Suite struct TransferRuleTests {
    @Test func theSubtreeMovesWithAllItsContent() throws {
        var list = try ReorderableList("a b+(c!(d) e) f")
        _ = try list.update("d", TaskUpdate(title: "Das ĳ", done: true, data: .set("{}")))
        let content = try #require(list.task("d")?.content)
        var other = try ReorderableList("x")
        let outcome = try list.transfer(
            MoveRequest(.task("b"), to: .before("x")), to: &other)
        #expect(list.outline == "a f")
        #expect(other.outline == "b+(c!(d) e) x")
        #expect(other.task("d")?.content == content)
        #expect(outcome.departure == [.delete(task: "b")])
        #expect(outcome.moved == ["b", "c", "d", "e"])
        #expect(outcome.arrival == outcome.moved.compactMap { other.task($0) }.map { .insert($0) })
    }

    @Test func nothingIsMovedBelowTheSixteenthLevel() throws {
        let list = try ReorderableList("a(b) c")
        let chain = Outline.chain("x", levels: 15)
        let other = try ReorderableList(chain)
        let deepest = Destination.place(.subtasks(of: "x14"))
        for subject in [MoveRequest.Subject.task("a"), .tasks(["c", "a"]), .row(0)] {
            #expect(list.refusal(transferring: subject, to: other, deepest) == .depthLimit)
            #expect(list.refusal(transferring: subject, to: other, .after("x14")) == nil)
        }
        let full = chain.replacing("x14", with: "x14(b)")
        #expect(try list.transferring("b", to: other, deepest) == "a c | \(full)")
    }

    @Test func theFirstViolatedRuleIsReported() throws {
        let list = try ReorderableList("a! b(c)")
        let chain = Outline.chain("x", levels: 16)
        let strict = try ReorderableList("a y \(chain)", elementsOffset: 1, moves: .siblings)
        let deep = try ReorderableList("a y \(chain)", elementsOffset: 1)
        let gone = Destination.after("gone")
        #expect(list.refusal(transferring: .task("g"), to: strict, gone) == .taskNotFound("g"))
        #expect(list.refusal(transferring: .task("a"), to: strict, gone) == .anchorGone)
        #expect(list.refusal(transferring: .task("a"), to: strict, .after("x15")) == .locked)
        #expect(list.refusal(transferring: .task("b"), to: strict, .after("x15")) == .notSiblings)
        #expect(list.refusal(transferring: .task("b"), to: deep, .after("x15")) == .depthLimit)
        let free = try ReorderableList("a b", elementsOffset: 0)
        #expect(free.refusal(transferring: .task("a"), to: deep, .before("a")) == .locked)
        #expect(free.refusal(transferring: .task("a"), to: deep, .after("y")) == .idTaken("a"))
    }

    @Test func aSubtreeOfAHundredThousandTasksIsTransferred() throws {
        let count = 100_000
        var tasks = [ReorderableList.Entry(content: TaskContent(id: "top", title: ""))]
        for number in 1..<count {
            let parent = number % 10 == 1 ? "top" : "t\(number - 1)"
            tasks.append(
                .init(content: TaskContent(id: "t\(number)", title: ""), parent: parent))
        }
        var list = try ReorderableList(
            settings: ListSettings(title: ""), sections: [], tasks: tasks)
        var other = try ReorderableList("x y")
        let outcome = try list.transfer(
            MoveRequest(.task("top"), to: .after("x")), to: &other)
        #expect(outcome.departure.count == 1)
        #expect(outcome.arrival.count == count)
        #expect(list.count == 0)
        #expect(other.count == count + 2)
        #expect(other.placement(of: "y")?.row == count + 1)
        #expect(Array(other.subtree(of: "top").map(\.id)) == tasks.map(\.content.id))
    }

    // MARK: Sections

    /// All combinations of the settings of both lists.
    @Test func aSectionArrivesAsItHasLeftUnderEverySetting() throws {
        func task(
            _ id: String, _ section: SectionID?, below parent: TaskID? = nil, done: Bool = false,
            collapsed: Bool = false, locked: Bool = false
        ) -> ReorderableList.Entry {
            let content = TaskContent(
                id: id, title: "Title \(id)", collapsed: collapsed, locked: locked, done: done,
                data: "{}")
            return .init(content: content, section: section, parent: parent)
        }
        let tasks = [
            task("a", nil), task("b", "s"), task("b1", "s", below: "b", done: true),
            task("b2", "s", below: "b", locked: true), task("c", "s", collapsed: true),
            task("c1", "s", below: "c"), task("d", "t"),
        ]
        for number in 0..<6_912 {
            var rest = number
            func pick<Value>(_ values: [Value]) -> Value {
                defer { rest /= values.count }
                return values[rest % values.count]
            }
            let (folds, isFree) = (pick([false, true]), pick([true, false]))
            var settings = ListSettings(title: "target", collapseSubElements: pick([false, true]))
            settings.moves = pick([.anywhere, .siblings])
            settings.elementsOffset = pick([0, 1])
            settings.maxDepth = pick([nil, 1, 2])
            settings.maxTasksPerSection = pick([nil, 1, 2])
            settings.tasksPerParent = pick([nil, 1])
            let (limit, position) = (pick([nil, 1, 2]), pick([nil, 0, 1, 9]))
            let source = try ReorderableList(
                settings: ListSettings(
                    title: "source", elementsOffset: 1, collapseSubElements: folds,
                    moves: isFree ? .anywhere : .siblings),
                sections: [("s", "Section"), ("t", "t")], tasks: tasks,
                sectionData: ["s": "{}"], sectionLimits: limit.map { ["s": $0] } ?? [:])
            let target = try ReorderableList(
                settings: settings, sections: [("u", "u"), ("v", "v")],
                tasks: [task("y", "u"), task("z", "v")])
            let isAllowed =
                isFree && settings.moves == .anywhere && settings.maxDepth != 1
                && (limit ?? settings.maxTasksPerSection) != 1 && settings.tasksPerParent != 1
                // The first task is locked, and must stay the first.
                && (settings.elementsOffset == 0 || position != 0)
            var (left, entered) = (source, target)
            let outcome = try? left.transfer(section: "s", to: &entered, position: position)
            guard (outcome != nil) == isAllowed, let outcome else {
                #expect(!isAllowed && outcome == nil, "\(settings), limit \(limit ?? 0)")
                #expect(left == source && entered == target)
                continue
            }
            let index = min(position ?? 9, 2)
            #expect(left.sections.map(\.id) == ["t"])
            #expect(entered.sections.filter { $0.id != "s" } == target.sections)
            #expect(entered.sections[index] == source.section("s"))
            #expect(left.tasks.map(\.id) == ["a", "d"])
            #expect(
                entered.tasks.filter { $0.placement.section != "s" }.map(\.content)
                    == target.tasks.map(\.content))
            let moved = source.tasks.filter { $0.placement.section == "s" }
            let arrived = entered.tasks.filter { $0.placement.section == "s" }
            #expect(arrived.map(\.content) == moved.map(\.content), "\(settings), folds \(folds)")
            #expect(arrived.map(\.placement.parent) == moved.map(\.placement.parent))
            var (copy, copyOfTarget) = (source, target)
            try copy.apply(outcome.departure)
            try copyOfTarget.apply(outcome.arrival)
            #expect(copy == left && copyOfTarget == entered)
        }
    }
}
