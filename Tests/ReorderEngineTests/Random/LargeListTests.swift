import ListModel
import RandomRuns
import ReorderEngine
import Testing

/// Lists with more tasks than a leaf, a page and a level of the trees: data that speeds up lookups
/// must stay correct when tasks move to other leaves, and texts to other pages.
@Suite struct LargeListTests {
    enum Shape: CaseIterable {
        case flat, nested, chains, collapsed, sections
    }

    @Test(arguments: Shape.allCases)
    func aLargeListStaysValidUnderRandomRequests(shape: Shape) throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        var list = try Self.list(shape, of: 3_000)
        let operations = RandomRun.operations(percent: 5) / Shape.allCases.count
        for number in 0..<operations {
            let task = list.anyTask(&random)
            switch random.below(20) {
            case 0..<8: _ = try? list.move(task, .after(list.anyTask(&random)))
            case 8..<10: _ = try? list.move(task, .place(.own, random.below(3_000)))
            case 10..<12: _ = try? list.move(task, .place(.subtasks(of: list.anyTask(&random))))
            case 12..<14: _ = try list.collapse(task, random.chance(50))
            case 14: _ = try list.update(task, TaskUpdate(title: Self.title(random.below(60))))
            case 15..<18:
                _ = try? list.create("new-\(number)", .before(list.anyTask(&random)))
            default: if list.subtree(of: task).count < 20 { _ = try? list.delete(task) }
            }
            if number % 400 == 0 || number == operations - 1 {
                let wrong = list.checkInvariants() ?? list.differenceOfRows()
                #expect(wrong == nil, "operation \(number), REORDERD_SEED=\(RandomRun.seed)")
                if wrong != nil { return }
            }
        }
    }

    private static func title(_ length: Int) -> String { String(repeating: "t", count: length) }

    private static func list(_ shape: Shape, of size: Int) throws -> ReorderableList {
        var sections: [(id: SectionID, title: String)] = []
        if shape == .sections { sections = (0..<9).map { ("s\($0)", "section \($0)") } }
        let group =
            switch shape {
            case .flat: 1
            case .nested, .collapsed, .sections: 11
            case .chains: 16
            }
        let tasks = (0..<size).map { number in
            let place = number % group
            let content = TaskContent(
                id: "t\(number)", title: title(24), collapsed: shape == .collapsed && place == 0)
            let parent = shape == .chains ? number - 1 : number - place
            // Every third section is empty.
            let section = sections.isEmpty ? nil : sections[number / 400 * 3 % 9 / 2].id
            return ReorderableList.Entry(
                content: content, section: place == 0 ? section : nil,
                parent: place == 0 ? nil : "t\(parent)")
        }
        return try ReorderableList(
            settings: ListSettings(title: "large"), sections: sections, tasks: tasks)
    }
}

extension ReorderableList {
    fileprivate func anyTask(_ random: inout SeededGenerator) -> TaskID {
        task(atRow: random.below(rowCount))?.id ?? "gone"
    }

    /// The first row whose task differs from the lookup by id; nil means none.
    fileprivate func differenceOfRows() -> String? {
        let rows = tasks(fromRow: 0, limit: rowCount)
        if rows.count != rowCount { return "\(rows.count) of \(rowCount) rows" }
        for (row, listed) in rows.enumerated() {
            if listed.placement.row != row { return "row \(row): row" }
            if listed != task(listed.id) { return "row \(row): differs from the lookup by id" }
            if listed != task(atRow: row) { return "row \(row): differs from the lookup by row" }
        }
        for start in stride(from: 0, through: rowCount, by: 97) {
            if tasks(fromRow: start, limit: 20) != Array(rows.dropFirst(start).prefix(20)) {
                return "rows from \(start)"
            }
        }
        return nil
    }
}
