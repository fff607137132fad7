import RandomRuns
import ReorderEngine

/// All lists of up to 6 tasks in up to 3 sections, with depths up to 3. In each list, nothing is
/// collapsed or locked, or one task is collapsed, or one task is locked, or the first one or two
/// top-level tasks are locked, or only moves among siblings are allowed.
package struct SmallLists: Sequence, IteratorProtocol {
    private var shapes: [SmallList]
    private var variants: [SmallList] = []
    private var random: SeededGenerator
    /// The share of the lists that are returned, in millionths.
    private let share: Int
    private let hasLimits: Bool

    /// - Parameters:
    ///   - share: the share of the lists to return, from 0 to 1.
    ///   - hasLimits: whether each list has one of the limits instead. The list can exceed it.
    package init(
        tasks: ClosedRange<Int> = 0...6, share: Double = 1, seed: UInt64 = 0,
        hasLimits: Bool = false
    ) {
        self.hasLimits = hasLimits
        shapes = tasks.reversed().flatMap { Self.shapes(tasks: $0) }
        self.share = Int(share * 1e6)
        random = SeededGenerator(seed: seed)
    }

    package mutating func next() -> SmallList? {
        while true {
            while let list = variants.popLast() {
                if share >= 1_000_000 || random.below(1_000_000) < share { return list }
            }
            guard let shape = shapes.popLast() else { return nil }
            variants = hasLimits ? Self.limited(shape) : Self.variants(of: shape)
        }
    }

    private static let ids = ["a", "b", "c", "d", "e", "f"]

    private static func shapes(tasks: Int) -> [SmallList] {
        var shapes: [[SmallList.Row]] = [[]]
        for number in 0..<tasks {
            shapes = shapes.flatMap { rows in
                let last = rows.last
                var more: [[SmallList.Row]] = []
                for section in (last?.section ?? 0)...3 {
                    let highest =
                        last?.section == section ? Swift.min(3, (last?.depth ?? 0) + 1) : 0
                    for depth in 0...highest {
                        more.append(
                            rows + [.init(id: ids[number], depth: depth, section: section)])
                    }
                }
                return more
            }
        }
        return shapes.flatMap { rows in
            ((rows.last?.section ?? 0)...3).map { SmallList(rows: rows, sections: $0) }
        }
    }

    private static func limited(_ list: SmallList) -> [SmallList] {
        var variants: [SmallList] = []
        for limit in 1...2 {
            var variant = list
            variant.maxDepth = limit
            variants.append(variant)
            variant = list
            variant.maxTasksPerSection = limit
            variants.append(variant)
            variant = list
            variant.tasksPerParent = limit
            variants.append(variant)
        }
        return variants
    }

    private static func variants(of list: SmallList) -> [SmallList] {
        var variants = [list]
        for index in list.rows.indices {
            var variant = list
            variant.rows[index].isCollapsed = true
            variants.append(variant)
            variant = list
            variant.rows[index].isLocked = true
            variants.append(variant)
        }
        for offset in 1...2 {
            var variant = list
            variant.elementsOffset = offset
            variants.append(variant)
        }
        var variant = list
        variant.moves = .siblings
        variants.append(variant)
        return variants
    }
}

extension SmallList {
    /// Every task, also hidden ones, and every pair of visible tasks.
    package var subjects: [[TaskID]] {
        var subjects = rows.map { [$0.id] }
        let visible = visible
        for (number, first) in visible.enumerated() {
            for second in visible[(number + 1)...] {
                subjects.append([rows[first].id, rows[second].id])
            }
        }
        return subjects
    }

    /// The tasks of a subject that move by themselves: a task below another one moves with it.
    package func roots(of subject: [TaskID]) -> [TaskID] {
        subject.filter { task in
            !subject.contains {
                $0 != task && subtree(of: index(of: $0)).contains(index(of: task))
            }
        }
    }
}
