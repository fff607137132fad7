import ReorderEngine
import SmallLists
import UIKit

@testable import ReorderClient

/// Makes all drops of a row, and compares the list and the displayed rows with the model's.
@MainActor struct AdapterDropChecker {
    let rig: TableRig
    let rows: [[TaskID]]

    init(rig: TableRig) {
        self.rig = rig
        rows = rig.rows(of: rig.small)
    }

    private var small: SmallList { rig.small }

    /// The first fault; nil if there is none.
    func fault(dropping source: IndexPath, _ count: inout AdapterDropCount) -> String? {
        guard rig.shownRows == rows else { return "displays \(rig.shownRows)" }
        let task = rows[source.section][source.row]
        let rest = small.without([task])
        let depth = small.rows[small.index(of: task)].depth
        for path in places(besides: source) {
            if let fault = faultOfReordering(task, source, path, &count) {
                return "reordered to \(path): \(fault)"
            }
        }
        for (index, section) in rig.sections.enumerated() {
            let gaps = rest.gaps(in: section)
            for row in gaps {
                let path = IndexPath(row: row - gaps.lowerBound, section: index)
                // All possible levels, and one that is not.
                let levels = rest.levels(atRow: row, in: section)
                for wanted in Set(levels + [depth, (levels.max() ?? 0) + 1]) {
                    let drop = SmallDrop(
                        tasks: [task], section: section, row: row,
                        level: nearest(to: wanted, among: levels, depth))
                    if let fault = faultOfDrags(drop, source, path, wanted - depth, &count) {
                        return "dragged to \(path) at \(wanted): \(fault)"
                    }
                }
            }
        }
        return nil
    }

    /// Among siblings, a row keeps its level.
    private func nearest(to wanted: Int, among levels: [Int], _ depth: Int) -> Int? {
        if small.moves == .siblings { return depth }
        return levels.min { abs($0 - wanted) < abs($1 - wanted) }
    }

    // MARK: Reorder controls

    /// All index paths that the row can have, in order. Only the row itself is taken out.
    private func places(besides source: IndexPath) -> [IndexPath] {
        rows.indices.flatMap { section in
            (0...rows[section].count - (section == source.section ? 1 : 0)).map {
                IndexPath(row: $0, section: section)
            }
        }
    }

    /// The result of a drop at an index path; nil if it is refused.
    private func expected(_ task: TaskID, _ source: IndexPath, _ path: IndexPath) -> SmallList? {
        var cells = rows
        cells[source.section].remove(at: source.row)
        cells[path.section].insert(task, at: path.row)
        // The subtasks follow their parent: they are not counted at their old place.
        let subtree = small.subtree(of: small.index(of: task)).map { small.rows[$0].id }
        let staying = cells.joined().filter { $0 == task || !subtree.contains($0) }
        let row = staying.firstIndex(of: task) ?? -1
        return try? small.after(
            SmallDrop(tasks: [task], section: rig.sections[path.section], row: row))
    }

    private func faultOfReordering(
        _ task: TaskID, _ source: IndexPath, _ path: IndexPath, _ count: inout AdapterDropCount
    ) -> String? {
        let places = places(besides: source)
        guard let own = places.firstIndex(of: source), var index = places.firstIndex(of: path)
        else { return "no such place" }
        while index != own, expected(task, source, places[index]) == nil {
            index += index < own ? 1 : -1
        }
        let isLocked = expected(task, source, source) == nil
        let target = isLocked ? nil : places[index]
        let result = target.flatMap { expected(task, source, $0) } ?? small
        for isTable in [true, false] {
            defer { rig.reset() }
            let (actual, shown) =
                isTable
                ? rig.reorder(from: source, to: path)
                : rig.reorderCollection(from: source, to: path)
            if isTable { count.reordered += 1 } else { count.collection += 1 }
            if let fault = fault(expecting: result, shown) { return fault }
            guard actual == target else { return "target \(actual?.description ?? "none")" }
        }
        if isLocked { count.locked += 1 }
        if target == path { count.moved += 1 } else { count.retargeted += 1 }
        guard target != path, !isLocked else { return nil }
        // Without a delegate, the row returns.
        count.refused += 1
        rig.removeDelegates()
        defer {
            rig.addDelegates()
            rig.reset()
        }
        let (_, shown) = rig.reorder(from: source, to: path)
        if let fault = fault(expecting: small, shown) { return "without a delegate: \(fault)" }
        let (_, items) = rig.reorderCollection(from: source, to: path)
        return fault(expecting: small, items).map { "without a delegate: \($0)" }
    }

    // MARK: Drags

    private func faultOfDrags(
        _ drop: SmallDrop, _ source: IndexPath, _ path: IndexPath, _ levels: Int,
        _ count: inout AdapterDropCount
    ) -> String? {
        let expected = try? small.after(drop)
        let isLocked = !rig.display.canEdit(drop.tasks[0])
        if expected == nil { count.refused += 1 } else { count.moved += 1 }
        for callsDataSource in [false, true] {
            count.dragged += 1
            let isDropped = rig.drag(
                source, to: path, deeper: levels, callsDataSource: callsDataSource)
            guard isDropped == (isLocked ? nil : expected != nil) else {
                return "dropped: \(isDropped?.description ?? "not lifted")"
            }
            if let fault = fault(expecting: expected ?? small, rig.shownRows) { return fault }
            rig.reset()
        }
        count.pressed += 1
        // A cancelled drag depends only little on the level.
        for end in [UIGestureRecognizer.State.ended, .cancelled].prefix(levels == 0 ? 2 : 1) {
            rig.press(source, thenHoverAt: path, deeper: levels)
            if let fault = faultOfHovering(drop, expected, path, isLocked) { return fault }
            rig.send(end)
            let result = end == .ended ? expected ?? small : small
            if let fault = fault(expecting: result, rig.shownRows) { return "\(end): \(fault)" }
            guard rig.table.subviews.isEmpty, rig.display.blank == nil else {
                return "\(end): the row still floats"
            }
            rig.reset()
        }
        return nil
    }

    /// The rows while the finger is at the place: the subtasks are folded, and a blank row is where the row would be dropped.
    private func faultOfHovering(
        _ drop: SmallDrop, _ expected: SmallList?, _ path: IndexPath, _ isLocked: Bool
    ) -> String? {
        let task = drop.tasks[0]
        if isLocked { return rig.shownRows == rows ? nil : "a locked row was lifted" }
        let subtasks = small.subtree(of: small.index(of: task)).dropFirst().map {
            small.rows[$0].id
        }
        var folded = (expected == nil ? rows : rig.rows(of: small.without([task])))
        if expected == nil {
            folded = folded.map { $0.filter { !subtasks.contains($0) } }
        } else {
            folded[path.section].insert(task, at: path.row)
        }
        guard rig.shownRows == folded else { return "hovering displays \(rig.shownRows)" }
        return rig.display.blank == task ? nil : "there is no blank row"
    }

    private func fault(expecting result: SmallList, _ shown: [[TaskID]]?) -> String? {
        guard result.matches(rig.list.snapshot) else {
            return "the list differs from \(result.outline)"
        }
        guard rig.table.inconsistencies == 0 else { return "the table view is inconsistent" }
        // A section for rows without one can become empty, and is not displayed then.
        let expected = rig.rows(of: result)
        let isSectionGone =
            rig.sections.first == 0 && rig.sections.count > 1
            && !result.rows.contains { $0.section == 0 }
        return shown == (isSectionGone ? Array(expected.dropFirst()) : expected)
            ? nil : "displays \(shown ?? [])"
    }
}
