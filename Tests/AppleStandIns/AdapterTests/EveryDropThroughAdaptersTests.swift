import Foundation
import RandomRuns
import SmallLists
import Testing
import UIKit

@testable import ReorderClient

/// Every drop of one row in every small list, by the reorder control of a table view and a collection view, by the drag interaction
/// and by a long press, compared with a plain array of rows. By default it takes a sample of the lists;
/// `REORDERD_ADAPTER_DROPS=6` takes all with up to 6 tasks, in a release build. `REORDERD_ADAPTER_PART=1/2` takes every second list of
/// them, so that two processes share the work.
@MainActor @Suite struct EveryDropThroughAdaptersTests {
    /// The most tasks of a list; nil for a sample of all lists.
    private static let tasks = ProcessInfo.processInfo.environment["REORDERD_ADAPTER_DROPS"]
        .flatMap { Int($0) }
    /// The part of the lists, from 1 on, and the number of parts.
    private static let part =
        ProcessInfo.processInfo.environment["REORDERD_ADAPTER_PART"].map {
            $0.split(separator: "/").compactMap { Int($0) }
        } ?? [1, 1]
    /// The number of drops of all lists, roughly.
    private static let allDrops = 30_000_000

    @Test(arguments: [false, true])
    func everyDropDoesWhatTheRowsDo(hasLimits: Bool) async throws {
        try #require(Self.part.count == 2 && 1 <= Self.part[0] && Self.part[0] <= Self.part[1])
        var count = AdapterDropCount()
        let seed = RandomRun.seed
        let share = Double(RandomRun.operations(percent: 30)) / Double(Self.allDrops)
        let lists =
            Self.tasks.map { SmallLists(tasks: 0...$0, hasLimits: hasLimits) }
            ?? SmallLists(share: share, seed: seed, hasLimits: hasLimits)
        for (number, small) in lists.enumerated()
        where number % Self.part[1] == Self.part[0] - 1 {
            let rig = try TableRig(small)
            let checker = AdapterDropChecker(rig: rig)
            for (section, rows) in rig.rows.enumerated() {
                for row in rows.indices {
                    let source = IndexPath(row: row, section: section)
                    if let fault = checker.fault(dropping: source, &count) {
                        Issue.record(
                            "REORDERD_SEED=\(seed): \(small.outline): \(rows[row]): \(fault)")
                        return
                    }
                }
            }
            count.lists += 1
            // The adapters' own updates.
            await Task.yield()
            if Self.tasks != nil, count.lists.isMultiple(of: 5_000) {
                print("So far: \(count)")
                fflush(nil)
            }
        }
        print("Drops through adapters: \(count)")
        #expect(count.moved > 0 && count.refused > 0 && count.retargeted > 0)
        #expect(hasLimits || count.locked > 0)
    }
}

struct AdapterDropCount: CustomStringConvertible {
    var lists = 0
    var reordered = 0
    var collection = 0
    var dragged = 0
    var pressed = 0
    var moved = 0
    var refused = 0
    var retargeted = 0
    var locked = 0

    var description: String {
        """
        \(lists) lists; \(reordered) by a table's reorder control, \(collection) in a collection view, \(dragged) by the drag \
        interaction, \(pressed) by a long press; \(moved) moved, \(refused) refused, \(retargeted) with another target, \
        \(locked) of locked rows
        """
    }
}
