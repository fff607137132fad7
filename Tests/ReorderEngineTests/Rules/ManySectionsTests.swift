import ListModel
import RandomRuns
import Testing

@testable import ReorderEngine
import ReorderJSON

/// `elementsOffset` counts the top-level tasks across any number of sections.
@Suite struct ManySectionsTests {
    /// The list and the model must agree on each request, refusals included.
    @Test func lockedRowsInManySectionsMatchTheModel() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        var model = ListModel(settings: ListSettings(title: "list"))
        var entries: [ReorderableList.Entry] = []
        for number in 0..<100 {
            var section = ListModel.Section(id: "s\(number)", title: "")
            for index in 0..<random.below(3) {
                let content = TaskContent(id: "t\(number)-\(index)", title: "")
                section.tasks.append(.init(content: content))
                entries.append(.init(content: content, section: section.id))
            }
            model.sections.append(section)
        }
        var list = try ReorderableList(
            settings: model.settings,
            sections: model.sections.compactMap { section in section.id.map { ($0, "") } },
            tasks: entries)
        var refused = 0
        // Enough that some requests are refused.
        let operations = max(200, RandomRun.operations(percent: 1) / 3)
        for number in 0..<operations {
            let request = Self.request(&random, model, number)
            let expected = Result { () throws(Refusal) in try model.perform(request) }
            let actual = Result { () throws(Refusal) in try list.perform(request) }
            let comment: Comment =
                "operation \(number), REORDERD_SEED=\(RandomRun.seed): \(request)"
            switch (expected, actual) {
            case (.success(let expected), .success(let actual)):
                try #require(expected == actual.1, comment)
            case (.failure(let expected), .failure(let actual)):
                try #require(expected == actual, comment)
                refused += 1
            default: try #require(Bool(false), comment)
            }
            if number % 5 == 0 { try #require(list.checkTopLevelCounts() == nil, comment) }
            if number % 50 == 0 || number == operations - 1 {
                let wrong = list.checkInvariants() ?? list.difference(from: model)
                try #require(wrong == nil, comment)
            }
        }
        #expect(refused > 0)
        #expect(refused < operations)
    }

    private static func request(
        _ random: inout SeededGenerator, _ model: ListModel, _ number: Int
    ) -> Command {
        let section = model.sections[random.below(model.sections.count)]
        let other = model.sections[random.below(model.sections.count)]
        let count = model.sections.count
        let id = section.id ?? "gone"
        switch random.below(20) {
        case 0..<9: return .moveSection(id, position: random.below(count))
        case 9..<10: return .deleteSection(id, tasks: random.chance(50) ? .keep : .delete)
        case 10..<12: return .createSection("n\(number)", title: "", position: random.below(count))
        case 12..<14:
            let content = TaskContent(id: "c\(number)", title: "")
            return .create(content, at: .place(.section(section.id), random.below(3)))
        case 14: return .settings(SettingsUpdate(elementsOffset: random.below(60)))
        default:
            let task = section.tasks.first?.content.id ?? "gone"
            return .move(
                MoveRequest(.task(task), to: .place(.section(other.id), random.below(3))))
        }
    }

    @Test func anOffsetSetLaterCountsExistingTasks() throws {
        var list = try ReorderableList("a #s1 b c #s2 d #s3")
        #expect(list.topLevelCounts == nil)
        _ = list.update(SettingsUpdate(elementsOffset: 3))
        #expect(list.checkInvariants() == nil)
        #expect(list.refusal(moving: "c", .after("d")) == .locked)
        #expect(list.refusal(moving: "d", .after("c")) == nil)
        // Without an offset the list keeps counting, for the next offset.
        _ = list.update(SettingsUpdate(elementsOffset: 0))
        try list.move("c", .after("d"))
        _ = list.update(SettingsUpdate(elementsOffset: 3))
        #expect(list.checkInvariants() == nil)
        #expect(list.refusal(moving: "d", .after("c")) == .locked)
        #expect(list.refusal(moving: "c", .before("d")) == .locked)
    }

    #if DEBUG
        /// Work is counted in lookups and steps among siblings, not in time.
        @Test(arguments: [1, 90])
        func theWorkOfChecksDoesNotGrowWithTheSections(offset: Int) throws {
            let few = try Self.work(sections: 200, offset: offset)
            let many = try Self.work(sections: 5_000, offset: offset)
            #expect(few.keys == many.keys)
            for (request, work) in many {
                let least = try #require(few[request])
                #expect(work <= 2 * least, "\(request): \(least), then \(work)")
            }
        }

        /// The work for a plan and an undo of 1,000 sections' creations, whether it is the last change or
        /// not.
        @Test(arguments: [true, false])
        func theWorkOfUndoingCreationsDoesNotGrowWithTheSections(isLast: Bool) throws {
            func work(sections: Int) throws -> Int {
                let before = try ReorderableList(
                    settings: ListSettings(title: "", elementsOffset: 1),
                    sections: (0..<sections).map { ("s\($0)", "") },
                    tasks: [.init(content: TaskContent(id: "t", title: ""), section: "s0")])
                let operations = (0..<1_000).map {
                    ListOperation.sectionInsert(section: "n\($0)", title: "", position: 100)
                }
                var list = before
                for operation in operations { try list.apply(operation) }
                let start = list.work
                _ = try list.undo(try UndoPlan(operations, before: before), isLast: isLast)
                let work = list.work - start
                #expect(list == before)
                return work
            }
            let few = try work(sections: 200)
            let many = try work(sections: 5_000)
            #expect(few > 0)
            #expect(many <= 2 * few)
        }

        /// The work for some requests on a list with this many sections, with one task each.
        private static func work(sections: Int, offset: Int) throws -> [String: Int] {
            let ids = (0..<sections).map { "s\($0)" }
            let block = (0..<100).map { "b\($0)" }
            var tasks = ids.map {
                ReorderableList.Entry(content: TaskContent(id: "t" + $0, title: ""), section: $0)
            }
            tasks += block.map {
                ReorderableList.Entry(content: TaskContent(id: $0, title: ""), section: ids.last)
            }
            let list = try ReorderableList(
                settings: ListSettings(title: "", elementsOffset: offset),
                sections: ids.map { ($0, "") }, tasks: tasks)
            func count(_ request: (inout ReorderableList) throws -> Void) rethrows -> Int {
                var copy = list
                let before = list.work
                try request(&copy)
                return list.work - before
            }
            return [
                "move": try count { try $0.move(block, .after("ts\(sections - 2)")) },
                "refused move": count { _ = try? $0.move(block, .before("ts0")) },
                "lift": try count { _ = try $0.checkLift(.tasks(block)) },
                "section move": try count {
                    _ = try $0.moveSection("s\(sections - 1)", position: sections / 2)
                },
                "refused section move": count {
                    _ = try? $0.moveSection("s\(sections - 1)", position: 0)
                },
                "section deletion, kept": try count {
                    try $0.move("ts\(sections - 1)", .after("ts\(sections - 2)"))
                    _ = try? $0.deleteSection("s\(sections - 1)", tasks: .keep)
                },
                "section deletion": try count {
                    _ = try $0.deleteSection("s\(sections - 1)", tasks: .delete)
                },
            ]
        }
    #endif
}

#if DEBUG
    extension ReorderableList {
        /// The work done on this list and its copies.
        fileprivate var work: Int {
            forest.work.value + (topLevelCounts?.order.work.value ?? 0)
        }
    }
#endif
