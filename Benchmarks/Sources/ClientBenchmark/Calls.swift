import Foundation
import Measuring
@testable import ReorderClient

/// The kinds of calls, each on a device of its own.
@MainActor enum Calls {
    typealias Kind = @MainActor (Device) async throws -> Hold

    static var all: [(String, Kind)] {
        [
            (
                "store.list, until the rows are there",
                { device in
                    var list: LiveList?
                    return try await longestPart(of: { list = device.store.list("l") }) {
                        list?.isLoaded == true
                    }
                }
            ),
            (
                "store.list of a list that is being sent",
                { device in
                    let runner = try device.store.client.openNow("l")
                    var list: LiveList?
                    defer { withExtendedLifetime(runner) {} }
                    return try await longestPart(of: { list = device.store.list("l") }) {
                        list?.isLoaded == true
                    }
                }
            ),
            ("create", each { $0.create("Task \($1)") }),
            (
                "create before the rows are there",
                { device in
                    let list = device.store.list("l")
                    return longest(of: 20) { list.create("Task \($0)") }
                }
            ),
            ("rename", each { $0.rename(taskID($1 * 50), to: "x") }),
            ("setCompleted", each { $0.setCompleted(taskID($1 * 50)) }),
            (
                "move to the end of the section",
                each { $0.move([taskID($1 * 50)], to: .end(of: "s1")) }
            ),
            ("delete", each { $0.delete([taskID($1 * 50)]) }),
            (
                "undo",
                { device in
                    let list = try await device.open()
                    for index in 0..<20 { list.rename(taskID(index * 50), to: "x") }
                    return longest(of: 20) { _ in list.undo() }
                }
            ),
            ("setCollapsed", each { $0.setCollapsed(taskID($1 * 50), true) }),
            ("rename(to:)", each { $0.rename(to: "x\($1)") }),
            ("createSection", each { $0.createSection("x\($1)") }),
            (
                "moveSection of a hundredth of the rows",
                each(3) { $0.moveSection("s\($1)", to: 50) }
            ),
            ("deleteSection of a hundredth of the rows", each(3) { $0.deleteSection("s\($1)") }),
            (
                "setCollapsed of a tenth of the rows",
                each(2) {
                    $0.setCollapsed(taskID(largest(in: $0)), $1 == 0)
                }
            ),
            (
                "delete of a tenth of the rows",
                each(1) { list, _ in list.delete([taskID(largest(in: list))]) }
            ),
            ("delete of 1,000 tasks", each(1) { list, _ in list.delete(thousand) }),
            (
                "undo of 1,000 deletions",
                { device in
                    let list = try await device.open()
                    list.delete(thousand)
                    return longest(of: 1) { _ in list.undo() }
                }
            ),
            (
                "step that creates 1,000 tasks",
                each(1) { list, _ in
                    list.step { for index in 0..<1_000 { list.create("Task \(index)") } }
                }
            ),
            ("rows", each { list, _ in blackHole(list.rows) }),
            (
                "row, layout",
                each { list, index in
                    blackHole(list.row(taskID(index)))
                    blackHole(list.layout(moving: [taskID(index)]))
                }
            ),
            (
                "rows(matching:)",
                { device in
                    let list = try await device.open()
                    var found: [LiveList.Row]?
                    let search = Task {
                        found = await list.rows(matching: "Task number 000000000777")
                    }
                    defer { search.cancel() }
                    return try await longestPart(of: {}) { found != nil }
                }
            ),
            (
                "a change of others",
                { device in
                    let list = try await device.open()
                    device.server.openStream()
                    return try await longestPart(of: {
                        let change =
                            #"{"version":4,"at":"2026-01-01T00:00:00Z","ops":[{"op":"list","set":{"title":"Other"}}]}"#
                        device.server.send(event: "change", change)
                    }) { list.title == "Other" }
                }
            ),
            (
                "a new document",
                { device in
                    let list = try await device.open()
                    device.server.openStream()
                    device.server.send(event: "refetch", "{}")
                    while !device.server.isAsked("/lists/l") {
                        try await Task.sleep(for: .milliseconds(1))
                    }
                    let document = Device.document(device.rows / 2, version: 9)
                    return try await longestPart(of: {
                        let server = device.server
                        Thread.detachNewThread { server.respond("/lists/l", document) }
                    }) { list.snapshot.count <= device.rows / 2 }
                }
            ),
            (
                "a table view: the list has changed",
                { device in
                    let list = try await device.open()
                    let display = RowDisplay(list)
                    display.start { _ in }
                    return longest(of: 5) { index in
                        list.rename(taskID(index * 50), to: "x")
                        display.update()
                    }
                }
            ),
            (
                "a table view: lift, hover, drop",
                { device in
                    let list = try await device.open()
                    let display = RowDisplay(list)
                    display.start { _ in }
                    var hold = longest(of: 1) { _ in _ = display.lift(taskID(51), leavesBlank: true)
                    }
                    for row in 100..<110 {
                        hold = max(
                            hold,
                            longest(of: 1) { _ in
                                display.hover(at: RowPath(row: row, section: 0), deeper: 0)
                            })
                    }
                    return max(hold, longest(of: 1) { _ in display.drop() })
                }
            ),
            (
                "signOut",
                { device in
                    _ = try await device.open()
                    return longest(of: 1) { _ in try? device.store.signOut() }
                }
            ),
        ]
    }

    private static let thousand = (0..<1_000).map { taskID($0 * 10 + 3) }

    /// The task with a tenth of the rows.
    private static func largest(in list: LiveList) -> Int {
        let count = list.snapshot.count
        return count - count / 10
    }

    private static func each(
        _ count: Int = 20, _ call: @escaping @MainActor (LiveList, Int) -> Void
    ) -> Kind {
        { device in
            let list = try await device.open()
            return longest(of: count) { call(list, $0) }
        }
    }
}

private func max(_ first: Hold, _ second: Hold) -> Hold {
    Hold(
        processor: Swift.max(first.processor, second.processor),
        elapsed: Swift.max(first.elapsed, second.elapsed))
}
