import ReorderEngine
import Testing

@Suite struct DepthLimitTests {
    /// A chain of 16 tasks, the maximum.
    private let full = Outline.chain("a", levels: 16)

    @Test func aListCanHaveSixteenLevels() throws {
        let list = try ReorderableList(full)
        #expect(list.task("a15")?.depth == 15)
        #expect(list.checkInvariants() == nil)
    }

    @Test func aDocumentWithSeventeenLevelsIsRefused() {
        #expect(throws: ReorderableList.DocumentError.tooDeep(index: 16)) {
            try ReorderableList(Outline.chain("a", levels: 17))
        }
    }

    @Test(arguments: 1...16)
    func aSubtreeMovesToWhereItsDeepestTaskFits(levels: Int) throws {
        let list = try ReorderableList(Outline.chain("x", levels: levels) + " " + full)
        // Below the task at depth 15 − levels, its deepest task gets depth 15.
        if levels < 16 {
            var copy = list
            try copy.move("x0", .place(.subtasks(of: "a\(15 - levels)")))
            #expect(copy.task("x\(levels - 1)")?.depth == 15)
            #expect(copy.checkInvariants() == nil)
        }
        #expect(
            list.refusal(moving: "x0", .place(.subtasks(of: "a\(16 - levels)"))) == .depthLimit)
    }

    @Test func oneTaskTooDeepRefusesTheWholeBlock() throws {
        let list = try ReorderableList("x y(y1) " + full)
        #expect(list.refusal(moving: ["x", "y"], .place(.subtasks(of: "a14"))) == .depthLimit)
        #expect(list.refusal(moving: ["x", "y"], .place(.subtasks(of: "a13"))) == nil)
    }

    @Test func aTaskIsCreatedAtTheSixteenthLevelAndNotBelow() throws {
        var list = try ReorderableList(full)
        #expect(list.refusal(creating: "x", .place(.subtasks(of: "a15"))) == .depthLimit)
        try list.create("x", .after("a15"))
        #expect(list.task("x")?.depth == 15)
    }

    @Test func anOperationBelowTheSixteenthLevelCannotBeApplied() throws {
        var list = try ReorderableList("x(x1) " + full)
        #expect(throws: OperationError.tooDeep("x")) {
            try list.apply(.move(task: "x", section: nil, parent: "a14", position: 0))
        }
        var task = try #require(list.task("x1"))
        task.content.id = "new"
        task.placement.parent = "a15"
        #expect(throws: OperationError.tooDeep("new")) { try list.apply(.insert(task)) }
    }
}
