import Foundation
import RandomRuns

@testable import ReorderEngine
@testable import ReorderJSON

/// A random list, and the list that a random document makes of it.
struct RandomReplacement {
    private(set) var before: ReorderableList
    private(set) var after: ReorderableList
    /// Whether the document equals the list.
    let isUnchanged: Bool
    private static let created = ChangeStamp(time: 1_700_000_000_000, author: "Anna")
    private static let replaced = ChangeStamp(time: 1_700_000_100_000, author: "Ben")

    init(_ random: inout SeededGenerator) throws {
        before = try Self.document(&random)
        before.completeStamps(replacing: nil, Self.created)
        after = before
        if random.chance(70) {
            // A document that differs little. The client does not know stamps.
            for _ in 0...random.below(4) { Self.change(&after, &random) }
            let tasks = after.tasks.map { task in
                var content = task.content
                content.stamps = TaskStamps()
                return ReorderableList.Entry(
                    content: content, section: task.placement.section,
                    parent: task.placement.parent)
            }
            after = try ReorderableList(
                settings: after.settings, sections: after.sections.map { ($0.id, $0.title) },
                tasks: tasks,
                sectionData: Dictionary(
                    uniqueKeysWithValues: after.sections.compactMap { section in
                        section.data.map { (section.id, $0) }
                    }))
        } else {
            after = try Self.document(&random)
        }
        after.completeStamps(replacing: before, Self.replaced)
        isUnchanged = after == before
        after.times.updatedAt = Self.replaced.time
        before.changeStamp = Self.replaced
    }

    var difference: ListDifference? {
        isUnchanged ? nil : ListDifference(from: before, to: after, maximumCount: 1_000)
    }

    /// What is wrong with a client's list after the operations, or with their undo; nil if nothing is.
    func fault(of difference: ListDifference) throws -> String? {
        var client = try ListDocument(json: Self.json(before)).makeList()
        client.changeStamp = Self.replaced
        var inverses: [[ListOperation]] = []
        for operation in difference.operations {
            var writer = JSONWriter()
            writer.operation(operation)
            var reader = JSONReader(try JSONText(checking: writer.bytes, maximumDepth: 24))
            let received = try ListOperation(from: &reader)
            inverses.append(try client.inverse(of: received))
            try client.apply(received)
        }
        if client != difference.list { return "the client's list differs" }
        if let fault = client.checkInvariants() { return fault }

        let moved = difference.operations.compactMap { operation in
            if case .move(let task, _, _, _) = operation { task } else { nil }
        }
        for (task, expected) in zip(client.tasks, after.tasks) {
            var expected = expected
            if moved.contains(task.id) {
                expected.content.stamps.updatedAt = Self.replaced.time
                expected.content.stamps.updatedBy = Self.replaced.author
            }
            if task != expected { return "\(task) differs from \(expected)" }
        }
        if client.count != after.count || client.sections != after.sections
            || client.settings != after.settings || client.times != after.times
        {
            return "the list differs"
        }
        for operations in inverses.reversed() { try client.apply(operations) }
        return Self.outline(client) == Self.outline(before) ? nil : "the undo differs"
    }

    /// The list before, the change, and the list after it.
    func json(of difference: ListDifference) -> String {
        let change = ChangeDocument(
            version: 2, at: Date(timeIntervalSince1970: Double(Self.replaced.time) / 1_000),
            client: nil, author: Self.replaced.author, operations: difference.operations)
        let texts = [Self.json(before), change.json(), Self.json(difference.list)]
            .map { String(decoding: $0, as: UTF8.self) }
        return #"{"before":\#(texts[0]),"change":\#(texts[1]),"after":\#(texts[2])}"#
    }

    private static func json(_ list: ReorderableList) -> [UInt8] {
        ListDocument.json(id: "l", version: 1, of: list)
    }

    /// A list without its stamps.
    private static func outline(_ list: ReorderableList) -> [ListTask] {
        list.tasks.map { task in
            var task = task
            task.content.stamps = TaskStamps()
            return task
        }
    }

    // MARK: Random documents

    private static func document(_ random: inout SeededGenerator) throws -> ReorderableList {
        let sections = ["s", "t", "u"].shuffled(using: &random).prefix(random.below(4))
        var depths: [(id: TaskID, depth: Int)] = []
        let ids = (0..<random.below(12)).map { "t\($0)" }.shuffled(using: &random)
        let tasks = ids.prefix(random.below(ids.count + 1)).map { id in
            let parent = random.chance(50) ? depths.randomElement(using: &random) : nil
            depths.append((id, (parent?.depth ?? 0) + 1))
            return ReorderableList.Entry(
                content: content(id, &random),
                section: parent == nil && random.chance(60)
                    ? sections.randomElement(using: &random) : nil,
                parent: parent?.id)
        }
        return try ReorderableList(
            settings: ListSettings(
                title: "List \(random.below(3))", elementsOffset: random.below(3),
                collapseSubElements: random.chance(50),
                moves: random.chance(50) ? .anywhere : .siblings,
                maxDepth: random.chance(50) ? nil : 3 + random.below(13)),
            sections: sections.map { ($0, "Section \(random.below(2))") }, tasks: tasks,
            sectionData: random.chance(50) ? ["s": #"{"n":\#(random.below(3))}"#] : [:])
    }

    private static func content(_ id: TaskID, _ random: inout SeededGenerator) -> TaskContent {
        TaskContent(
            id: id, title: ["e\u{301}", "é", "title"][random.below(3)],
            collapsed: random.chance(30), locked: random.chance(20), done: random.chance(40),
            data: random.chance(30) ? #"{"n":\#(random.below(3))}"# : nil)
    }

    private static func change(_ list: inout ReorderableList, _ random: inout SeededGenerator) {
        let ids = Array(list.taskIDs)
        guard let task = ids.randomElement(using: &random),
            let other = ids.randomElement(using: &random)
        else { return }
        switch random.below(6) {
        case 0: _ = try? list.apply(.delete(task: task))
        case 1: _ = try? list.apply(.update(task: task, set: TaskUpdate(title: "new", done: true)))
        case 2:
            guard var inserted = list.task(other) else { return }
            inserted.content = content("n\(random.below(100))", &random)
            _ = try? list.apply(.insert(inserted))
        case 3:
            _ = try? list.apply(
                .move(task: task, section: nil, parent: other, position: 0))
        default:
            guard let place = list.placement(of: other) else { return }
            _ = try? list.apply(
                .move(
                    task: task, section: place.section, parent: place.parent,
                    position: place.position))
        }
    }
}
