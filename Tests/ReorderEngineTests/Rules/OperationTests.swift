import ReorderEngine
import Testing

/// Normal form: absolute values, applied without checking rules.
@Suite struct OperationTests {
    private let list: ReorderableList

    init() throws {
        list = try ReorderableList("a(a1 a2) b! #s1 c", elementsOffset: 1, moves: .siblings)
    }

    private func applying(_ operations: ListOperation...) throws -> String {
        try list.after { list in
            try list.apply(operations)
            return operations
        }
    }

    private func task(_ id: TaskID, _ placement: Placement) -> ListTask {
        ListTask(
            content: TaskContent(id: id, title: id), placement: placement, depth: 9, subtasks: 9)
    }

    private func error(_ operation: ListOperation) -> OperationError? {
        var copy = list
        do {
            try copy.apply(operation)
            return nil
        } catch {
            #expect(copy == list, "an operation that does not apply changed the list")
            return error
        }
    }

    @Test func rulesAreNotCheckedAgain() throws {
        #expect(
            try applying(.move(task: "a", section: "s1", parent: nil, position: 1))
                == "b! #s1 c a(a1 a2)")
        #expect(try applying(.delete(task: "b")) == "a(a1 a2) #s1 c")
    }

    @Test func aPositionCountsAfterTheTaskIsTakenOut() throws {
        #expect(
            try applying(.move(task: "a", section: nil, parent: nil, position: 1))
                == "b! a(a1 a2) #s1 c")
        #expect(
            try applying(.move(task: "a1", section: nil, parent: "a", position: 1))
                == "a(a2 a1) b! #s1 c")
        #expect(
            error(.move(task: "a1", section: nil, parent: "a", position: 2))
                == .positionOutOfRange(2))
    }

    @Test func aMoveIntoTheOwnSubtreeCannotBeApplied() {
        for parent in ["a", "a1"] {
            #expect(
                error(.move(task: "a", section: nil, parent: parent, position: 0))
                    == .intoOwnSubtree("a"))
        }
    }

    @Test func derivedMembersOfAnInsertedTaskAreIgnored() throws {
        let new = task("x", Placement(section: nil, parent: "a", position: 1, row: 77))
        #expect(try applying(.insert(new)) == "a(a1 x a2) b! #s1 c")
        var copy = list
        try copy.apply(.insert(new))
        #expect(copy.task("x")?.depth == 1)
        #expect(copy.task("x")?.subtasks == 0)
    }

    @Test func positionsOutOfRangeCannotBeApplied() {
        for position in [-1, 3, Int.max, Int.min] {
            let place = Placement(section: nil, parent: "a", position: position, row: nil)
            #expect(error(.insert(task("x", place))) == .positionOutOfRange(position))
            #expect(
                error(.move(task: "c", section: nil, parent: "a", position: position))
                    == .positionOutOfRange(position))
            #expect(
                error(.sectionInsert(section: "s2", title: "", position: position))
                    == .positionOutOfRange(position))
            #expect(
                error(.sectionMove(section: "s1", position: position))
                    == .positionOutOfRange(position))
        }
        #expect(error(.sectionMove(section: "s1", position: 1)) == .positionOutOfRange(1))
        let section = ListOperation.sectionInsert(section: "s2", title: "", position: 2)
        #expect(error(section) == .positionOutOfRange(2))
    }

    @Test func operationsOnUnknownIdsCannotBeApplied() {
        let operations: [ListOperation] = [
            .move(task: "gone", section: nil, parent: nil, position: 0),
            .move(task: "a", section: nil, parent: "gone", position: 0),
            .insert(task("x", Placement(section: nil, parent: "gone", position: 0, row: nil))),
            .update(task: "gone", set: TaskUpdate(title: "x")),
            .collapse(task: "gone", collapsed: true),
            .delete(task: "gone"),
        ]
        for operation in operations {
            #expect(error(operation) == .unknownTask("gone"), "\(operation)")
        }
        let sectionOperations: [ListOperation] = [
            .move(task: "a", section: "gone", parent: nil, position: 0),
            .insert(task("x", Placement(section: "gone", parent: nil, position: 0, row: nil))),
            .sectionUpdate(section: "gone", title: "x"),
            .sectionMove(section: "gone", position: 0),
            .sectionDelete(section: "gone"),
        ]
        for operation in sectionOperations {
            #expect(error(operation) == .unknownSection("gone"), "\(operation)")
        }
    }

    @Test func existingIdsAreNotInsertedAgain() {
        let place = Placement(section: nil, parent: nil, position: 0, row: nil)
        #expect(error(.insert(task("a2", place))) == .taskExists("a2"))
        #expect(
            error(.sectionInsert(section: "s1", title: "", position: 0)) == .sectionExists("s1"))
    }

    @Test func onlyAnEmptySectionIsDeleted() throws {
        #expect(error(.sectionDelete(section: "s1")) == .sectionNotEmpty("s1"))
        #expect(try applying(.delete(task: "c"), .sectionDelete(section: "s1")) == "a(a1 a2) b!")
    }

    @Test func replacingNeedsTheDocument() {
        #expect(error(.replace) == .needsDocument)
        #expect(throws: OperationError.needsDocument) { try list.inverse(of: .replace) }
    }

    @Test func operationsAreAppliedAllOrNone() {
        var copy = list
        #expect(throws: OperationError.unknownTask("gone")) {
            try copy.apply([
                .delete(task: "a"), .sectionMove(section: "s1", position: 0),
                .delete(task: "gone"),
            ])
        }
        #expect(copy == list)
    }

    @Test func operationsOnUnknownIdsHaveNoInverse() {
        #expect(throws: OperationError.unknownTask("gone")) {
            try list.inverse(of: .delete(task: "gone"))
        }
        #expect(throws: OperationError.unknownSection("gone")) {
            try list.inverse(of: .sectionMove(section: "gone", position: 0))
        }
    }
}
