import Foundation
import ReorderEngine

/// Moves. A task moves with its subtasks. Each call returns whether the list changed; if the list's rules refuse the move, ``notice`` has
/// the reason.
extension LiveList {
    /// Moves rows of a section, as SwiftUI's `onMove` reports it.
    ///
    /// Each row keeps its level if the gap allows it, else it gets the nearest. A row never becomes hidden.
    ///
    /// - Parameters:
    ///   - source: the indices of the rows in the section.
    ///   - destination: the index of the row in the section before which to insert, counted with the moved rows.
    ///   - section: the section that the view shows. It may be older than ``sections``.
    @discardableResult
    public func move(_ source: IndexSet, to destination: Int, in section: Section) -> Bool {
        let tasks = section.tasks(at: source)
        return move(
            tasks, to: RowDestination(.offsetInSection(section.id, destination)), of: section.list)
    }

    /// Moves tasks before a row that is displayed, as drop handlers that name the next row report it.
    ///
    /// - Parameters:
    ///   - row: the row of a task; nil: the end of the section.
    ///   - section: the section of the row; nil for the rows without a section.
    @discardableResult
    public func move(_ tasks: [TaskID], beforeRow row: TaskID?, in section: SectionID?) -> Bool {
        let start = snapshot.rows(in: section)?.lowerBound ?? 0
        let offset = row.flatMap { snapshot.row(of: $0) }.map { $0 - start } ?? .max
        return move(tasks, to: RowDestination(.offsetInSection(section, offset)), of: snapshot)
    }

    /// Moves tasks so that the first one is at a row of a section afterwards, as a table view's index paths mean it.
    ///
    /// - Parameters:
    ///   - row: the index in the section, counted without the moved rows.
    ///   - section: nil for the rows without a section.
    ///   - level: the level there; nil keeps the level if it is possible there, else takes the nearest.
    @discardableResult
    public func move(
        _ tasks: [TaskID], toRow row: Int, in section: SectionID?, level: Int? = nil
    ) -> Bool {
        move(tasks, to: RowDestination(.path(section, row: row), level: level), of: snapshot)
    }

    /// Moves tasks into a gap between the rows that stay.
    ///
    /// - Parameters:
    ///   - gap: a gap of ``layout(moving:)``.
    ///   - level: one of the layout's levels at the gap; nil keeps the level if it is possible there, else takes the nearest.
    @discardableResult
    public func move(_ tasks: [TaskID], to gap: RowLayout.Gap, level: Int? = nil) -> Bool {
        move(
            tasks, to: RowDestination(.rowInSection(gap.row, gap.section), level: level),
            of: snapshot)
    }

    /// Moves tasks to a place that is named by ids, such as `.after("milk")`, `.inside("fruit")` or `.end(of: "bakery")`.
    @discardableResult
    public func move(_ tasks: [TaskID], to place: Destination) -> Bool {
        move(MoveRequest(.naming(tasks), to: place), of: snapshot)
    }

    /// Moves tasks into another one, as its last subtasks: the drop onto a row.
    @discardableResult
    public func move(_ tasks: [TaskID], onto task: TaskID) -> Bool {
        move(tasks, to: .inside(task))
    }

    /// The gaps and levels at which tasks can be dropped, in the list as it is displayed now.
    ///
    /// - Returns: nil if a task does not exist.
    public func layout(moving tasks: [TaskID]) -> RowLayout? {
        try? RowLayout(of: snapshot, moving: .naming(tasks))
    }

    private func move(
        _ tasks: [TaskID], to rows: RowDestination, of list: ReorderableList
    ) -> Bool {
        move(MoveRequest(.naming(tasks), to: Destination(rows)), of: list)
    }

    /// - Parameter list: the list that the user sees.
    private func move(_ request: MoveRequest, of list: ReorderableList) -> Bool {
        do {
            return perform(.move, [.move(try request.namingTasks(in: list))])
        } catch {
            return refuse(error, list.tasks(named: request.subject))
        }
    }

    func refuse(_ refusal: Refusal, _ tasks: [TaskID]) -> Bool {
        report(.refused(refusal), tasks)
        return false
    }
}

extension LiveList.Section {
    /// The tasks of the rows at indices; other indices are ignored.
    func tasks(at indices: IndexSet) -> [TaskID] {
        indices.filter { rows.indices.contains($0) }.map { rows[$0].id }
    }
}

extension MoveRequest.Subject {
    static func naming(_ tasks: [TaskID]) -> Self {
        tasks.count == 1 ? .task(tasks[0]) : .tasks(tasks)
    }
}

extension Destination {
    /// After a task, as its sibling.
    public static func after(_ task: TaskID) -> Destination { Destination(after: task) }

    /// Before a task, as its sibling.
    public static func before(_ task: TaskID) -> Destination { Destination(before: task) }

    /// The last subtask of a task.
    public static func inside(_ task: TaskID) -> Destination {
        Destination(place: Place(.subtasks(of: task)))
    }

    /// The start of a section; nil: of the tasks without a section.
    public static func start(of section: SectionID?) -> Destination {
        Destination(place: Place(.section(section), position: 0))
    }

    /// The end of a section; nil: of the tasks without a section.
    public static func end(of section: SectionID?) -> Destination {
        Destination(place: Place(.section(section)))
    }
}
