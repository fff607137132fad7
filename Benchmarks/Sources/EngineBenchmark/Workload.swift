import Measuring
@testable import ReorderEngine

/// Lists of one shape and size, and operations on random ones of them.
struct Workload {
    private var lists: [ReorderableList]
    private let shape: Shape
    private let size: Int
    private var random = SeededGenerator(seed: 1)

    init(shape: Shape, size: Int, lists count: Int) {
        lists = (0..<count).map { _ in shape.list(of: size) }
        self.shape = shape
        self.size = size
    }

    /// Runs every operation for some batches, and reports the nanoseconds that each takes.
    mutating func measure(_ report: (String, Double) -> Void) {
        let row = { (workload: inout Workload) in workload.anyRow() }
        let task = { (workload: inout Workload) in workload.anyTask() }
        let top = { (workload: inout Workload) in workload.anyTop() }
        let two = { (workload: inout Workload) in (workload.anyTop(), workload.anyTop()) }

        report("move a task after another", time(two) { Self.move($1.0, after: $1.1, in: &$0) })
        report(
            "move a task to a position",
            time({ ($0.anyTop(), $0.anyPosition()) }, { Self.move($1.0, to: $1.1, in: &$0) }))
        report("row of a task", time(task) { blackHole($0.row(of: $1)) })
        report("task at a row", time(row) { blackHole($0.task(atRow: $1)) })
        report("collapse and expand", time(top) { Self.collapseAndExpand($1, in: &$0) })
        report("insert and delete", time(top) { Self.insertAndDelete(after: $1, in: &$0) })
        report("50 rows from a row", time(row) { blackHole($0.tasks(fromRow: $1, limit: 50)) })
        report(
            "move while a snapshot is kept",
            time(two) {
                let snapshot = $0
                Self.move($1.0, after: $1.1, in: &$0)
                blackHole(snapshot.count)
            })
    }

    private mutating func time<Operation>(
        _ prepare: (inout Workload) -> Operation,
        _ perform: (inout ReorderableList, Operation) -> Void
    ) -> Double {
        nanoseconds(
            batches: 15,
            prepare: { (lists.indices.randomElement(using: &random) ?? 0, prepare(&self)) },
            { perform(&lists[$0.0], $0.1) })
    }

    private mutating func anyRow() -> Int { .random(in: 0..<lists[0].rowCount, using: &random) }
    private mutating func anyTask() -> TaskID { taskID(.random(in: 0..<size, using: &random)) }
    private mutating func anyPosition() -> Int {
        .random(in: 0..<size / shape.groupSize, using: &random)
    }
    /// A random top-level task. All of them are siblings.
    private mutating func anyTop() -> TaskID { taskID(anyPosition() * shape.groupSize) }

    private static func move(
        _ task: TaskID, after anchor: TaskID, in list: inout ReorderableList
    ) {
        blackHole(try? list.move(MoveRequest(.task(task), to: Destination(after: anchor))))
    }

    private static func move(_ task: TaskID, to position: Int, in list: inout ReorderableList) {
        let place = Destination.Place(.own, position: position)
        blackHole(try? list.move(MoveRequest(.task(task), to: Destination(place: place))))
    }

    private static func collapseAndExpand(_ task: TaskID, in list: inout ReorderableList) {
        let isFirst = (try? list.collapse(task))?.operations.isEmpty == false
        blackHole(try? list.collapse(task, false))
        if !isFirst { blackHole(try? list.collapse(task)) }
    }

    private static func insertAndDelete(after anchor: TaskID, in list: inout ReorderableList) {
        let content = TaskContent(id: "a-new-task-of-the-benchmark-36-bytes", title: taskTitle(0))
        blackHole(try? list.create(content, at: Destination(after: anchor)))
        blackHole(try? list.delete(content.id))
    }
}
