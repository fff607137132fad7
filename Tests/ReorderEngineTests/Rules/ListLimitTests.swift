import ReorderEngine
import Testing

/// `maxDepth`, `maxTasksPerSection` and `tasksPerParent`, from both sides. `RandomRequestTests` compares
/// moves and new tasks with the model; copies, documents and the levels of gaps are only here.
@Suite struct ListLimitTests {
    private func list(_ outline: String, _ limits: SettingsUpdate) throws -> ReorderableList {
        var list = try ReorderableList(outline)
        _ = list.update(limits)
        return list
    }

    private let levels = SettingsUpdate(maxDepth: .set(2))
    private let sections = SettingsUpdate(maxTasksPerSection: .set(2))
    private let parents = SettingsUpdate(tasksPerParent: .set(2))

    @Test func noTaskGetsBelowTheLastLevel() throws {
        let list = try list("a b(b1) c", levels)
        #expect(list.refusal(moving: "a", .after("b1")) == nil)
        #expect(list.refusal(moving: "a", .place(.subtasks(of: "b1"))) == .maxDepth)
        #expect(list.refusal(moving: "b", .place(.subtasks(of: "c"))) == .maxDepth)
        #expect(list.refusal(moving: ["a", "b"], .place(.subtasks(of: "c"))) == .maxDepth)
        #expect(list.refusal(creating: "x", .after("b1")) == nil)
        #expect(list.refusal(creating: "x", .place(.subtasks(of: "b1"))) == .maxDepth)
    }

    @Test func theTopLevelTasksOfASectionAreCounted() throws {
        let list = try list("a b(b1 b2 b3) #s1 c(c1 c2 c3) #s2 d e", sections)
        let first = Destination.place(.section("s1"))
        let full = Destination.place(.section("s2"))
        #expect(list.refusal(moving: "a", first) == nil)
        #expect(list.refusal(moving: ["a", "b"], first) == .sectionFull)
        #expect(list.refusal(moving: ["a", "c"], first) == nil)
        #expect(list.refusal(moving: "a", full) == .sectionFull)
        #expect(list.refusal(moving: "a", .place(.subtasks(of: "d"))) == nil)
        #expect(list.refusal(moving: "e", .before("d")) == nil)
        #expect(list.refusal(creating: "x", first) == nil)
        #expect(list.refusal(creating: "x", full) == .sectionFull)
    }

    @Test func tasksWithoutASectionAreNotLimited() throws {
        var list = try list("a b c #s1 d e", sections)
        #expect(list.refusal(creating: "x") == nil)
        #expect(list.refusal(moving: "d", .after("a")) == nil)
        _ = try list.deleteSection("s1", tasks: .keep)
        #expect(list.outline == "a b c d e")
    }

    @Test func theDirectSubtasksOfATaskAreCounted() throws {
        let list = try list("a(a1 a2(x y)) b(b1) c d", parents)
        #expect(list.refusal(moving: "c", .after("b1")) == nil)
        #expect(list.refusal(moving: ["c", "d"], .after("b1")) == .parentFull)
        #expect(list.refusal(moving: "c", .after("a1")) == .parentFull)
        #expect(list.refusal(moving: "a2", .before("a1")) == nil)
        #expect(list.refusal(moving: ["a2", "c"], .before("a1")) == .parentFull)
        #expect(list.refusal(creating: "n", .after("x")) == .parentFull)
    }

    @Test func aLimitBelowWhatTheListHasLosesNothing() throws {
        var list = try list("a(a1(a2(a3)) b1 b2) #s1 c d e", levels)
        _ = list.update(
            SettingsUpdate(maxTasksPerSection: .set(1), tasksPerParent: .set(1)))
        #expect(list.outline == "a(a1(a2(a3)) b1 b2) #s1 c d e")
        // Other places among siblings, and places that are not deeper.
        #expect(list.refusal(moving: "e", .before("c")) == nil)
        #expect(list.refusal(moving: "b2", .before("a1")) == nil)
        #expect(list.refusal(moving: "a1", .place(.subtasks(of: "c"))) == nil)
        #expect(list.refusal(moving: "a1", .after("a")) == nil)
        #expect(list.refusal(moving: "e", .after("a")) == nil)
        // What adds to the excess.
        #expect(list.refusal(moving: "b2", .place(.section("s1"))) == .sectionFull)
        #expect(list.refusal(moving: "c", .place(.subtasks(of: "a"))) == .parentFull)
        #expect(list.refusal(moving: "a1", .place(.subtasks(of: "b1"))) == .maxDepth)
    }

    @Test func limitsComeAfterTheDepthLimitAndBeforeTheLockOfTheDestination() throws {
        let chain = Outline.chain("c", levels: 16)
        var list = try list("p q \(chain) #s1 x y", levels)
        _ = list.update(SettingsUpdate(elementsOffset: 1, maxTasksPerSection: .set(1)))
        #expect(list.refusal(moving: "q", .place(.subtasks(of: "c15"))) == .depthLimit)
        #expect(list.refusal(moving: "q", .place(.subtasks(of: "c14"))) == .maxDepth)
        _ = list.update(SettingsUpdate(elementsOffset: 19))
        #expect(list.refusal(creating: "n", .before("x")) == .sectionFull)
        #expect(list.refusal(creating: "n", .before("q")) == .locked)
    }

    @Test func onlyTheOtherListsLimitsCountInATransfer() throws {
        let list = try list("a(a1 a2 a3) b", parents)
        let free = try ReorderableList("x #s1 y z")
        let limited = try self.list("x #s1 y z", parents)
        #expect(list.refusal(transferring: .task("a"), to: free, .after("x")) == nil)
        // The arriving task itself has too many subtasks.
        #expect(list.refusal(transferring: .task("a"), to: limited, .after("x")) == .parentFull)
        let board = try self.list("x #s1 y z", sections)
        #expect(list.refusal(transferring: .task("b"), to: board, .after("y")) == .sectionFull)
        let flat = try self.list("x", SettingsUpdate(maxDepth: .set(1)))
        #expect(list.refusal(transferring: .task("a"), to: flat, .after("x")) == .maxDepth)
        #expect(list.refusal(transferring: .task("b"), to: flat, .after("x")) == nil)
    }

    @Test func aCopyOfATaskIsAnAddition() throws {
        func refusal(_ list: ReorderableList, _ task: TaskID, _ place: Destination) -> Refusal? {
            var number = 0
            return list.refusal {
                try $0.copy(task, of: list, at: place) {
                    number += 1
                    return "n\(number)"
                }
            }
        }
        let board = try list("a #s1 b c", sections)
        #expect(refusal(board, "b", .after("b")) == .sectionFull)
        #expect(refusal(board, "b", .after("a")) == nil)
        let wide = try list("a(a1 a2 a3) b", parents)
        #expect(refusal(wide, "a", .after("b")) == .parentFull)
        #expect(refusal(wide, "b", .after("a")) == nil)
        let deep = try list("a(b)", levels)
        #expect(refusal(deep, "a", .place(.subtasks(of: "a"))) == .maxDepth)
    }

    @Test func theDepthOfEachTaskOfABlockCounts() throws {
        let list = try list("a(b(c)) d(e) f", levels)
        // c is on the third level already, and e is not.
        #expect(list.refusal(moving: ["c", "e"], .place(.subtasks(of: "b"))) == .maxDepth)
        #expect(list.refusal(moving: ["c", "e"], .place(.subtasks(of: "f"))) == nil)
    }

    @Test func aCopyOfTheListKeepsTheExcess() throws {
        let list = try list("#s1 a b c", sections)
        var number = 0
        let copy = try list.copied {
            number += 1
            return "n\(number)"
        }
        #expect(copy.count == 3)
        #expect(copy.settings.maxTasksPerSection == 2)
    }

    @Test func aSectionsOwnLimitCountsInsteadOfTheLists() throws {
        var list = try list("a b #s1 c #s2 d e", SettingsUpdate(maxTasksPerSection: .set(1)))
        let first = Destination.place(.section("s1"))
        #expect(list.refusal(moving: "a", first) == .sectionFull)
        let before = list
        let operations = try list.updateSection("s1", maxTasks: .set(2))
        #expect(operations == [.sectionUpdate(section: "s1", title: "s1", maxTasks: .set(2))])
        #expect(try list.updateSection("s1", maxTasks: .set(2)).isEmpty)
        #expect(list != before && list.section("s1")?.maxTasks == 2)
        #expect(list.refusal(moving: "a", first) == nil)
        #expect(list.refusal(moving: ["a", "b"], first) == .sectionFull)
        #expect(list.refusal(creating: "n", .place(.section("s2"))) == .sectionFull)
        // Copies, transfers, differences and undos have it.
        let plan = try UndoPlan(operations, before: before)
        var number = 0
        let copy = try list.copied {
            number += 1
            return "n\(number)"
        }
        #expect(copy.section("s1")?.maxTasks == 2)
        let difference = try #require(ListDifference(from: before, to: list, maximumCount: 9))
        #expect(difference.operations == operations)
        var (from, to) = (list, try ReorderableList("x"))
        _ = try from.transfer(section: "s1", to: &to, position: nil)
        #expect(to.section("s1")?.maxTasks == 2)
        _ = try list.renameSection("s1", title: "later")
        var changed = list
        _ = try list.undo(plan, isLast: false)
        #expect(list.section("s1") == ListSection(id: "s1", title: "later", tasks: 1))
        _ = try changed.updateSection("s1", maxTasks: .remove)
        #expect(throws: UndoConflict.sectionChanged("s1")) {
            try changed.undo(plan, isLast: false)
        }
    }

    @Test func aDocumentIsRefusedOnlyIfItAddsToAnExcess() throws {
        func refusal(_ document: String, over former: String, _ update: SettingsUpdate) throws
            -> Refusal?
        {
            var new = try ReorderableList(document)
            _ = new.update(update)
            let former = try ReorderableList(former)
            do throws(Refusal) {
                try new.checkLimits(replacing: former)
                return nil
            } catch {
                return error
            }
        }
        let outline = "a(b(c)) #s1 d e f"
        for update in [levels, sections, parents] {
            #expect(try refusal(outline, over: outline, update) == nil)
        }
        #expect(try refusal("a(b(c)) #s1 d e", over: "a(b)", levels) == .maxDepth)
        #expect(try refusal("a(b(c)) #s1 d e g f", over: outline, sections) == .sectionFull)
        #expect(try refusal("a(b(c)) #s1 d g f", over: outline, sections) == nil)
        #expect(try refusal("a(b c d)", over: "a(b c)", parents) == .parentFull)
        #expect(try refusal("a(b c x)", over: "a(b c d)", parents) == nil)
    }

    @Test func theLevelsOfAGapEndAtTheLastLevel() throws {
        let list = try list("a(b) c(d)", levels)
        let layout = try RowLayout(of: list, moving: .task("c"))
        #expect(layout.levels(at: .init(section: nil, row: 2)) == 0...0)
        #expect(layout.levels(at: .init(section: nil, row: 1)) == nil)
        let leaf = try RowLayout(of: list, moving: .task("d"))
        #expect(leaf.levels(at: .init(section: nil, row: 2)) == 0...1)
        let other = try ReorderableList("x(y(z))")
        let arriving = try RowLayout(of: list, receiving: .task("y"), from: other)
        #expect(arriving.levels(at: .init(section: nil, row: 4)) == 0...0)
        let high = try RowLayout(of: list, receiving: .task("x"), from: other)
        #expect(high.levels(at: .init(section: nil, row: 4)) == nil)
    }

    @Test func theLastChangeIsUndoneWithoutRules() throws {
        var list = try list("#s1 a b c", sections)
        let before = list
        let operations = try list.delete("a").operations
        let plan = try UndoPlan(operations, before: before)
        var undone = list
        _ = try undone.undo(plan, isLast: true)
        #expect(undone == before)
        // A later undo puts back, too.
        _ = try list.update("b", TaskUpdate(title: "later"))
        _ = try list.undo(plan, isLast: false)
        #expect(list.outline == "#s1 a b c")
    }
}
