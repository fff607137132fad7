import Measuring
import ReorderEngine

/// One list, and what is done to it.
struct Workload {
    private var list: ReorderableList
    private let shape: Shape
    private let size: Int
    private var random = SeededGenerator(seed: 1)

    init(shape: Shape, size: Int) {
        list = shape.list(of: size)
        self.shape = shape
        self.size = size
    }

    /// Runs every operation and reports the nanoseconds that each takes.
    mutating func measure(_ report: (String, Double) -> Void) {
        let row = { (workload: inout Workload) in workload.anyRow() }
        let task = { (workload: inout Workload) in workload.anyTask() }
        let top = { (workload: inout Workload) in workload.anyTop() }
        let two = { (workload: inout Workload) in (workload.anyTop(), workload.anyTop()) }

        report("move a task after another", time(two) { $0.move($1.0, after: $1.1) })
        report(
            "move a task to a position",
            time({ ($0.anyTop(), $0.anyPosition()) }, { $0.move($1.0, to: $1.1) }))
        report("row of a task", time(task) { blackHole($0.list.row(of: $1)) })
        report("task at a row", time(row) { blackHole($0.list.task(atRow: $1)) })
        report("collapse and expand", time(top) { $0.collapseAndExpand($1) })
        report("insert and delete", time(top) { $0.insertAndDelete(after: $1) })
        report(
            "50 rows from a row", time(row) { blackHole($0.list.tasks(fromRow: $1, limit: 50)) })
        report(
            "move while a snapshot is kept",
            time(two) {
                let snapshot = $0.list
                $0.move($1.0, after: $1.1)
                blackHole(snapshot.count)
            })
    }

    private mutating func time<Operation>(
        _ prepare: (inout Workload) -> Operation, _ perform: (inout Workload, Operation) -> Void
    ) -> Double {
        nanoseconds(prepare: { prepare(&self) }, { perform(&self, $0) })
    }

    private mutating func anyRow() -> Int { .random(in: 0..<list.rowCount, using: &random) }
    private mutating func anyTask() -> TaskID { taskID(.random(in: 0..<size, using: &random)) }
    private mutating func anyPosition() -> Int {
        .random(in: 0..<size / shape.groupSize, using: &random)
    }
    /// A task of the top level: all of them are siblings.
    private mutating func anyTop() -> TaskID { taskID(anyPosition() * shape.groupSize) }

    private mutating func move(_ task: TaskID, after anchor: TaskID) {
        blackHole(try? list.move(MoveRequest(.task(task), to: Destination(after: anchor))))
    }

    private mutating func move(_ task: TaskID, to position: Int) {
        let place = Destination.Place(.own, position: position)
        blackHole(try? list.move(MoveRequest(.task(task), to: Destination(place: place))))
    }

    private mutating func collapseAndExpand(_ task: TaskID) {
        let isFirst = (try? list.collapse(task))?.operations.isEmpty == false
        blackHole(try? list.collapse(task, false))
        if !isFirst { blackHole(try? list.collapse(task)) }
    }

    private mutating func insertAndDelete(after anchor: TaskID) {
        let content = TaskContent(id: "a-new-task-of-the-benchmark-36-bytes", title: taskTitle(0))
        blackHole(try? list.create(content, at: Destination(after: anchor)))
        blackHole(try? list.delete(content.id))
    }
}
