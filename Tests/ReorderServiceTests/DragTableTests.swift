import ReorderEngine
import Testing

@testable import ReorderService

/// The states and events of drags over simulated time.
@Suite struct DragTableTests {
    private let limits: DragLimits = {
        var limits = DragLimits()
        limits.secondsToLive = 30
        return limits
    }()
    private let second = 1_000_000_000

    private func drag(_ id: String, list: String = "l", _ tasks: [String] = ["a"]) -> Drag {
        Drag(
            id: id, list: list, tasks: tasks, isBlock: false, root: "a", client: nil, author: nil,
            owner: nil)
    }

    private func place(_ position: Int) -> DragPlace {
        DragPlace(placement: Placement(section: nil, parent: nil, position: position, row: 0))
    }

    private func table(at now: Int) throws -> DragTable {
        var table = DragTable(limits)
        try table.begin(drag("d"), at: now)
        table.announce("d", at: now)
        #expect(table.takeNotices().count == 1)
        return table
    }

    private func hover(_ table: inout DragTable, _ position: Int, at now: Int) throws {
        let target = DragTarget(Destination(place: .init(.own, position: position)))
        let dragBegun = table.hover("d", over: target, at: now)
        let drag = try #require(dragBegun)
        table.settle("d", hover: drag.lastHover, over: place(position), at: now)
    }

    @Test func aDragExpiresAtItsDeadline() throws {
        var table = try table(at: 0)
        #expect(table.nextDue == 30 * second)
        table.advance(to: 30 * second - 1)
        #expect(table.drags.count == 1)
        table.advance(to: 30 * second)
        #expect(table.drags.isEmpty)
        #expect(table.takeNotices().count == 1)
        #expect(table.nextDue == nil)
    }

    /// The thread that ends drags sleeps until the first one does. Time stands still.
    @Test func theFirstDragWakesTheThreadThatEndsDrags() {
        let worker = SteppedWorker()
        var environment = ServiceEnvironment.system
        environment.makeWorker = { _, _ in worker }
        environment.uptime = { 0 }
        let registry = DragRegistry(limits, ListChannels(), environment)
        let wakes = ["d", "e"].map { id in
            registry.change { table, now in try? table.begin(drag(id), at: now) }
            return worker.wakes.load(ordering: .relaxed)
        }
        #expect(wakes == [1, 1])
    }

    @Test func anUpdateExtendsADrag() throws {
        var table = try table(at: 0)
        try hover(&table, 1, at: 29 * second)
        table.advance(to: 30 * second)
        #expect(table.drags.count == 1)
        #expect(table.nextDue == 59 * second)
        _ = table.beginDrop("d", at: 58 * second)
        table.endDrop("d", at: nil, isDone: false)
        table.advance(to: 59 * second)
        #expect(table.drags.count == 1)
        table.advance(to: 88 * second)
        #expect(table.drags.isEmpty)
    }

    @Test func manyHoversSendTheLatestOneWhenAnEventIsDue() throws {
        var table = try table(at: 0)
        let step = second / 60
        var eventCount = 0
        // An update every 1/60 second for ten seconds; `advance` is called when it is due.
        for number in 1...600 {
            try hover(&table, number, at: number * step)
            if let look = table.nextDue, look <= (number + 1) * step { table.advance(to: look) }
            eventCount += table.takeNotices().count
        }
        table.advance(to: 11 * second)
        eventCount += table.takeNotices().count
        #expect((100...201).contains(eventCount))
        #expect(table.drags["d"]?.lastEventOver == place(600))
    }

    @Test func aHoverOverTheSamePlaceIsSentOnlyToExtendTheDrag() throws {
        var table = try table(at: 0)
        try hover(&table, 1, at: second)
        #expect(table.takeNotices().count == 1)
        for number in 1...100 { try hover(&table, 1, at: second + number * second / 60) }
        table.advance(to: 10 * second)
        #expect(table.takeNotices().isEmpty)
        try hover(&table, 1, at: 20 * second)
        #expect(table.takeNotices().count == 1)
    }

    @Test func aLateHoverResultDoesNotReplaceALaterOne() throws {
        var table = try table(at: 0)
        let target = DragTarget(Destination(after: "x"))
        let firstBegun = table.hover("d", over: target, at: second)
        let first = try #require(firstBegun)
        let secondBegun = table.hover("d", over: target, at: second)
        let second = try #require(secondBegun)
        table.settle("d", hover: second.lastHover, over: place(2), at: self.second)
        table.settle("d", hover: first.lastHover, over: place(1), at: self.second)
        #expect(table.drags["d"]?.over == place(2))
    }

    @Test func aTaskThatLeavesByItsOwnDropIsDropped() throws {
        var table = try table(at: 0)
        _ = table.beginDrop("d", at: 1)
        table.remove(["a"], from: "l")
        #expect(table.drags.count == 1)
        table.endDrop("d", at: nil, isDone: true)
        #expect(
            table.takeNotices().map { String(decoding: $0.data, as: UTF8.self) }.first?
                .contains("dropped") == true)
        // If the drop failed and the task was removed meanwhile, the drag ends.
        try table.begin(drag("e"), at: 1)
        table.announce("e", at: 1)
        _ = table.beginDrop("e", at: 1)
        table.remove(nil, from: "l")
        table.endDrop("e", at: nil, isDone: false)
        #expect(table.drags.isEmpty)
    }

    @Test func aDragThatWasNeverAnnouncedEndsWithoutAnEvent() throws {
        var table = DragTable(limits)
        try table.begin(drag("d"), at: 0)
        table.remove(["a"], from: "l")
        table.announce("d", at: 0)
        #expect(table.takeNotices().isEmpty)
        #expect(table.nextDue == 30 * second)
    }
}
