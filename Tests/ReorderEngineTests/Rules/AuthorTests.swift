import ReorderEngine
import Testing

/// The authors of tasks. Each change replays to the same authors.
@Suite struct AuthorTests {
    private static func list(_ outline: String) throws -> ReorderableList {
        var list = try ReorderableList(outline)
        list.completeStamps(replacing: nil, ChangeStamp(time: 1, author: "Anna"))
        return list
    }

    private func change(
        _ list: inout ReorderableList, by author: String?,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (inout ReorderableList) throws -> [ListOperation]
    ) throws {
        var copy = list
        list.changeStamp = ChangeStamp(time: 2, author: author)
        let operations = try body(&list)
        copy.changeStamp = list.changeStamp
        try copy.apply(operations)
        #expect(copy == list, "the replay differs", sourceLocation: sourceLocation)
        #expect(list.checkInvariants() == nil, sourceLocation: sourceLocation)
    }

    private func authors(_ list: ReorderableList, _ task: TaskID) -> [String?] {
        let stamps = list.task(task)?.content.stamps ?? TaskStamps()
        return [stamps.createdBy, stamps.updatedBy, stamps.completedBy]
    }

    @Test func aChangeHasItsAuthorInTheTasksThatItNames() throws {
        var list = try Self.list("a(a1) b")
        try change(&list, by: "Ben") { try $0.create("x").operations }
        try change(&list, by: "Cleo") { try $0.move("a", .after("b")).operations }
        try change(&list, by: "Dan") { try $0.update("a1", TaskUpdate(done: true)) }
        #expect(authors(list, "x") == ["Ben", "Ben", nil])
        #expect(authors(list, "a") == ["Anna", "Cleo", nil])
        #expect(authors(list, "a1") == ["Anna", "Dan", "Dan"])
        #expect(authors(list, "b") == ["Anna", "Anna", nil])
        try change(&list, by: nil) { try $0.update("a1", TaskUpdate(done: false)) }
        #expect(authors(list, "a1") == ["Anna", nil, nil])
    }

    @Test func namesWithTheSameCharactersAndOtherBytesAreOtherAuthors() throws {
        var list = try Self.list("a b")
        let (composed, decomposed) = ("Jos\u{e9}", "Jose\u{301}")
        try change(&list, by: composed) { try $0.update("a", TaskUpdate(title: "1")) }
        try change(&list, by: decomposed) { try $0.update("b", TaskUpdate(title: "2")) }
        #expect(authors(list, "a")[1].map { Array($0.utf8) } == Array(composed.utf8))
        #expect(authors(list, "b")[1].map { Array($0.utf8) } == Array(decomposed.utf8))
    }

    @Test func anUndoGivesBackWhoCompletedATask() throws {
        var list = try Self.list("a b")
        try change(&list, by: "Ben") { try $0.update("a", TaskUpdate(done: true)) }
        let before = list
        var operations: [ListOperation] = []
        try change(&list, by: "Cleo") { list in
            operations = try list.update("a", TaskUpdate(done: false))
            return operations
        }
        let plan = try UndoPlan(operations, before: before, limit: 10) { true }
        try change(&list, by: "Dan") { list in
            try list.undo(plan, isLast: true) { true }.operations
        }
        #expect(authors(list, "a") == ["Anna", "Dan", "Ben"])
    }

    @Test func aMoveToAnotherListKeepsTheAuthors() throws {
        var list = try Self.list("a(a1) b")
        var other = try Self.list("x")
        list.changeStamp = ChangeStamp(time: 2, author: "Ben")
        other.changeStamp = list.changeStamp
        _ = try list.transfer(MoveRequest(.task("a"), to: .after("x")), to: &other)
        #expect(authors(other, "a") == ["Anna", "Ben", nil])
        #expect(authors(other, "a1") == ["Anna", "Anna", nil])
    }

    @Test func aCopyHasTheAuthorOfTheCopying() throws {
        var list = try Self.list("a(a1) b")
        try change(&list, by: "Ben") { list in
            var ids = ["c", "c1"].makeIterator()
            return try list.copy("a", of: list) { ids.next() ?? "" }.operations
        }
        #expect(authors(list, "c1") == ["Ben", "Ben", nil])
        #expect(authors(list, "a1") == ["Anna", "Anna", nil])
    }

    @Test func aDocumentKeepsTheAuthorsOfTheTasksThatItDoesNotChange() throws {
        var former = try Self.list("a b c")
        try change(&former, by: "Ben") { try $0.update("b", TaskUpdate(done: true)) }
        var list = try ReorderableList("a b x")
        _ = try list.update("a", TaskUpdate(title: "new"))
        _ = try list.update("b", TaskUpdate(done: true))
        list.completeStamps(replacing: former, ChangeStamp(time: 3, author: "Cleo"))
        #expect(authors(list, "a") == ["Anna", "Cleo", nil])
        #expect(authors(list, "b") == ["Anna", "Ben", "Ben"])
        #expect(authors(list, "x") == ["Cleo", "Cleo", nil])
    }

    @Test func manyAuthorsStayApart() throws {
        var list = try Self.list("")
        for number in 0..<1_000 {
            try change(&list, by: "author \(number)") { try $0.create("\(number)").operations }
        }
        for number in 0..<1_000 {
            #expect(authors(list, "\(number)")[0] == "author \(number)")
        }
    }
}
