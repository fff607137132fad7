import ReorderEngine
import Testing

@Suite struct ElementsOffsetTests {
    private let list: ReorderableList

    init() throws {
        list = try ReorderableList("a(a1 a2) b c d", elementsOffset: 2)
    }

    @Test func theFirstTopLevelTasksCannotBeMoved() throws {
        for task in ["a", "b"] {
            #expect(list.refusal(moving: task, .after("d")) == .locked)
            #expect(list.refusal(moving: task, .place(.subtasks(of: "c"))) == .locked)
        }
    }

    @Test func lockedRowsCannotBeMovedToTheirOwnPlace() throws {
        #expect(list.refusal(moving: "b", .after("a")) == .locked)
        #expect(list.refusal(moving: "b", .after("b")) == .locked)
    }

    @Test func lockedRowsCannotBeDeleted() throws {
        for task in ["a", "b"] {
            #expect(list.refusal(deleting: task) == .locked)
        }
    }

    @Test func nothingIsInsertedBeforeOrBetweenLockedRows() throws {
        for destination in [Destination.before("a"), .after("a"), .before("b"), .place(.own, 1)] {
            #expect(list.refusal(moving: "d", destination) == .locked)
        }
        for destination in [Destination.before("a"), .after("a"), .place(.section(nil), 0)] {
            #expect(list.refusal(creating: "x", destination) == .locked)
        }
        #expect(list.refusal(moving: "a1", .before("a")) == .locked)
    }

    @Test func insertingAfterTheLastLockedRowIsAllowed() throws {
        #expect(try list.moving("d", .after("b")) == "a(a1 a2) b d c")
        #expect(try list.moving("d", .place(.own, 2)) == "a(a1 a2) b d c")
        #expect(try list.creating("x", .after("b")) == "a(a1 a2) b x c d")
        #expect(try list.moving("a1", .after("b")) == "a(a2) b a1 c d")
    }

    @Test func changesAmongTheSubtasksOfLockedRowsAreAllowed() throws {
        #expect(try list.moving("a1", .after("a2")) == "a(a2 a1) b c d")
        #expect(try list.moving("d", .place(.subtasks(of: "b"))) == "a(a1 a2) b(d) c")
        #expect(try list.creating("x", .before("a1")) == "a(x a1 a2) b c d")
        #expect(try list.after { try $0.delete("a1").operations } == "a(a2) b c d")
    }

    @Test func renamingCollapsingAndLockingLockedRowsIsAllowed() throws {
        #expect(try list.after { try $0.collapse("a").operations } == "a+(a1 a2) b c d")
        #expect(
            try list.after { try $0.update("b", TaskUpdate(locked: true)) } == "a(a1 a2) b! c d")
        var copy = list
        #expect(try !copy.update("a", TaskUpdate(title: "new")).isEmpty)
    }

    @Test func lockedRowsAreCountedThroughTheSections() throws {
        let list = try ReorderableList("#s1 a b #s2 #s3 c d #s4 e", elementsOffset: 3)
        for task in ["a", "b", "c"] {
            #expect(list.refusal(moving: task, .after("d")) == .locked)
        }
        #expect(try list.moving("d", .after("e")) == "#s1 a b #s2 #s3 c #s4 e d")
        // The rows a, b and c are locked. Each of these destinations is before or between them.
        let between: [Destination] = [
            .place(.section(nil)), .after("b"), .place(.section("s2")), .before("c"),
        ]
        for destination in between {
            #expect(list.refusal(moving: "e", destination) == .locked)
        }
        #expect(try list.moving("e", .after("c")) == "#s1 a b #s2 #s3 c e d #s4")
    }

    @Test func ifTheListHasFewerTasksAllAreLocked() throws {
        let list = try ReorderableList("a(a1) #s1 b", elementsOffset: 9)
        #expect(list.refusal(moving: "b", .before("a")) == .locked)
        #expect(list.refusal(moving: "a1", .after("a")) == .locked)
        #expect(try list.moving("a1", .after("b")) == "a #s1 b a1")
        #expect(try list.creating("x", .place(.section("s1"))) == "a(a1) #s1 b x")
        #expect(
            list.refusal(creating: "x") == .locked,
            "the default, the end of the tasks without a section, is before b")
        let empty = try ReorderableList("", elementsOffset: 3)
        #expect(try empty.creating("x") == "x")
    }

    @Test func movingASectionMustNotDisplaceLockedRows() throws {
        let list = try ReorderableList("a #s1 b c #s2 d #s3", elementsOffset: 2)
        func refusal(_ section: SectionID, _ position: Int) -> Refusal? {
            list.refusal { try $0.moveSection(section, position: position) }
        }
        #expect(refusal("s1", 1) == .locked)
        #expect(refusal("s2", 0) == .locked)
        #expect(refusal("s2", 2) == nil)
        #expect(refusal("s3", 0) == nil, "an empty section displaces nothing")
    }

    @Test func deletingASectionMustNotAffectLockedRows() throws {
        func refusal(_ list: ReorderableList, _ section: SectionID) -> [Refusal?] {
            ReorderableList.SectionTasks.allCases.map { tasks in
                list.refusal { try $0.deleteSection(section, tasks: tasks) }
            }
        }
        // allCases: keep, delete.
        let list = try ReorderableList("a #s1 b c #s2 d #s3", elementsOffset: 2)
        #expect(refusal(list, "s1") == [.locked, .locked])
        #expect(refusal(list, "s2") == [.locked, nil], "in the same place, d would be before b")
        #expect(refusal(list, "s3") == [nil, nil])
        let first = try ReorderableList("a #s1 b", elementsOffset: 1)
        #expect(refusal(first, "s1") == [nil, nil])
    }

    @Test func aNegativeOffsetLocksNothing() throws {
        let list = try ReorderableList("a b", elementsOffset: -1)
        #expect(try list.moving("b", .before("a")) == "b a")
    }
}

@Suite struct LockedTaskTests {
    @Test func aLockedTaskCannotBeMovedOrDeleted() throws {
        let list = try ReorderableList("a! b(b1!)")
        for task in ["a", "b1"] {
            #expect(list.refusal(moving: task, .after("b")) == .locked)
            #expect(list.refusal(deleting: task) == .locked)
        }
    }

    @Test func aSubtreeWithALockedTaskIsNotDeleted() throws {
        let list = try ReorderableList("a(a1(a11+(a111!))) #s1 b(b1!)")
        for task in ["a", "a1", "a11", "b"] {
            #expect(list.refusal(deleting: task) == .locked)
        }
        #expect(
            list.refusal { try $0.deleteSection("s1", tasks: .delete) } == .locked)
    }

    @Test func othersMayPassALockedTask() throws {
        let list = try ReorderableList("a! b c!")
        #expect(try list.moving("b", .before("a")) == "b a! c!")
        #expect(try list.moving("b", .after("c")) == "a! c! b")
        #expect(try list.creating("x", .before("a")) == "x a! b c!")
    }

    @Test func aLockedTaskMovesWithItsParent() throws {
        let list = try ReorderableList("a(a1!) b")
        #expect(try list.moving("a", .after("b")) == "b a(a1!)")
        #expect(try list.moving(["a", "a1"], .after("b")) == "b a(a1!)")
    }

    @Test func aLockedTaskMovesWithItsSection() throws {
        let list = try ReorderableList("#s1 a! #s2 b")
        #expect(try list.after { try $0.moveSection("s1", position: 1) } == "#s2 b #s1 a!")
    }

    @Test func aSectionWithALockedTaskIsNotDeleted() throws {
        let list = try ReorderableList("#s1 a! #s2 b(b1!)")
        #expect(
            list.refusal { try $0.deleteSection("s1", tasks: .keep) } == .locked)
        let kept = try list.after { try $0.deleteSection("s2", tasks: .keep).operations }
        #expect(kept == "b(b1!) #s1 a!")
    }

    @Test func subtasksAndContentOfALockedTaskMayChange() throws {
        let list = try ReorderableList("a!(a1 a2) b")
        #expect(try list.moving("a1", .after("b")) == "a!(a2) b a1")
        #expect(try list.moving("b", .before("a1")) == "a!(b a1 a2)")
        #expect(try list.after { try $0.collapse("a").operations } == "a+!(a1 a2) b")
        #expect(try list.after { try $0.update("a", TaskUpdate(locked: false)) } == "a(a1 a2) b")
    }
}
