import ReorderEngine
import SmallLists
import UIKit

@testable import ReorderClient

/// Makes all drops of a row, and compares the list and the displayed rows with the model's.
@MainActor struct AdapterDropChecker {
    let rig: TableRig

    private var small: SmallList { rig.small }
    private var rows: [[TaskID]] { rig.rows }

    /// The first fault; nil if there is none.
    func fault(dropping source: IndexPath, _ count: inout AdapterDropCount) -> String? {
        guard rig.shownRows == rows else { return "displays \(rig.shownRows)" }
        var drops = ExpectedDrops(of: source, in: rig)
        for index in drops.places.indices {
            if let fault = faultOfReordering(drops, source, index, &count) {
                return "reordered to \(drops.places[index]): \(fault)"
            }
        }
        for (index, section) in rig.sections.enumerated() {
            let gaps = drops.rest.gaps(in: section)
            for row in gaps {
                let path = IndexPath(row: row - gaps.lowerBound, section: index)
                // All possible levels, and one that is not.
                let levels = drops.rest.levels(atRow: row, in: section)
                for wanted in Set(levels + [drops.depth, (levels.max() ?? 0) + 1]) {
                    var drop = SmallDrop(tasks: [drops.task], section: section, row: row)
                    drop.level = nearest(
                        to: wanted, among: small.allowedLevels(of: drop) ?? levels, drops.depth)
                    let expected = drops.result(of: drop)
                    if let fault = faultOfDrags(
                        drops, expected, source, path, wanted - drops.depth, &count)
                    {
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

    private func faultOfReordering(
        _ drops: ExpectedDrops, _ source: IndexPath, _ proposed: Int,
        _ count: inout AdapterDropCount
    ) -> String? {
        let (own, path) = (drops.own, drops.places[proposed])
        var index = proposed
        while index != own, drops.reordered[index] == nil { index += index < own ? 1 : -1 }
        let target = drops.isLocked ? nil : drops.places[index]
        let result = (drops.isLocked ? nil : drops.reordered[index]) ?? drops.unchanged
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
        if drops.isLocked { count.locked += 1 }
        if target == path { count.moved += 1 } else { count.retargeted += 1 }
        guard target != path, !drops.isLocked else { return nil }
        // Without a delegate, the row returns.
        count.refused += 1
        rig.removeDelegates()
        defer {
            rig.addDelegates()
            rig.reset()
        }
        let (_, shown) = rig.reorder(from: source, to: path)
        if let fault = fault(expecting: drops.unchanged, shown) {
            return "without a delegate: \(fault)"
        }
        let (_, items) = rig.reorderCollection(from: source, to: path)
        return fault(expecting: drops.unchanged, items).map { "without a delegate: \($0)" }
    }

    // MARK: Drags

    private func faultOfDrags(
        _ drops: ExpectedDrops, _ expected: ExpectedDrops.Result?, _ source: IndexPath,
        _ path: IndexPath, _ levels: Int, _ count: inout AdapterDropCount
    ) -> String? {
        let result = expected ?? drops.unchanged
        if expected == nil { count.refused += 1 } else { count.moved += 1 }
        for callsDataSource in [false, true] {
            count.dragged += 1
            let isDropped = rig.drag(
                source, to: path, deeper: levels, callsDataSource: callsDataSource)
            guard isDropped == (drops.isLocked ? nil : expected != nil) else {
                return "dropped: \(isDropped?.description ?? "not lifted")"
            }
            if let fault = fault(expecting: result, rig.shownRows) { return fault }
            rig.reset()
        }
        count.pressed += 1
        // A cancelled drag depends only little on the level.
        for end in [UIGestureRecognizer.State.ended, .cancelled].prefix(levels == 0 ? 2 : 1) {
            rig.press(source, thenHoverAt: path, deeper: levels)
            let isAllowed = expected != nil
            if let fault = faultOfHovering(drops, isAllowed, path) { return fault }
            rig.send(end)
            let result = end == .ended ? result : drops.unchanged
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
        _ drops: ExpectedDrops, _ isAllowed: Bool, _ path: IndexPath
    ) -> String? {
        if drops.isLocked { return rig.shownRows == rows ? nil : "a locked row was lifted" }
        var folded = drops.foldedRows
        if isAllowed {
            folded = drops.restRows
            folded[path.section].insert(drops.task, at: path.row)
        }
        guard rig.shownRows == folded else { return "hovering displays \(rig.shownRows)" }
        return rig.display.blank == drops.task ? nil : "there is no blank row"
    }

    private func fault(expecting result: ExpectedDrops.Result, _ shown: [[TaskID]]?) -> String? {
        guard result.list.matches(rig.list.snapshot) else {
            return "the list differs from \(result.list.outline)"
        }
        guard rig.table.inconsistencies == 0 else { return "the table view is inconsistent" }
        return shown == result.rows ? nil : "displays \(shown ?? [])"
    }
}
