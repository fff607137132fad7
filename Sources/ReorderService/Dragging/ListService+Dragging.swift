import Foundation
import ReorderEngine

/// What a client learns of a drag that it began.
package struct Lift: Sendable {
    package var drag: String
    package var list: String
    /// The list's version that it was decided on.
    package var version: Int
    /// The tasks as they are.
    package var tasks: NamedTasks
    package var secondsToLive: Double
    /// When it ends by itself, unless it is moved before.
    package var expires: Date
}

/// Drags: told to those who watch, stored nowhere, and no locks.
extension ListService {
    /// Begins a drag of tasks, and tells those who watch the list.
    ///
    /// Refused where a move of the tasks would be: one does not exist, or is locked.
    ///
    /// - Parameters:
    ///   - tasks: at least one.
    ///   - isBlock: whether the request named an array.
    ///   - id: the drag's, new.
    package func lift(
        _ tasks: [TaskID], isBlock: Bool, of list: String, as id: String, by client: String?,
        _ completion: @escaping Completion<Lift>
    ) {
        decide(on: list) { [drags] (result: Result<Lift, ServiceError>) in
            drags.change { table, now in
                if case .success = result {
                    table.tell(id, at: now)
                } else {
                    table.end(id, .gone)
                }
            }
            completion(result)
        } _: { [self] list, state in
            // Under the list's lock: whatever takes a task from the list later finds the drag.
            do throws(ServiceError) {
                let drag = try drag(tasks, isBlock: isBlock, of: list, state, as: id, by: client)
                return .result(.success(try begin(drag, state)))
            } catch {
                return .result(.failure(error))
            }
        }
    }

    private func drag(
        _ tasks: [TaskID], isBlock: Bool, of list: LoadedList, _ state: LoadedList.State,
        as id: String, by client: String?
    ) throws(ServiceError) -> Drag {
        guard state.exists else { throw .listNotFound(list.id) }
        let subject: MoveRequest.Subject = isBlock ? .tasks(tasks) : .task(tasks.first ?? "")
        do throws(Refusal) {
            let roots = try state.list.checkLift(subject)
            return Drag(
                id: id, list: list.id, tasks: tasks, isBlock: isBlock, root: roots.first ?? "",
                client: client)
        } catch {
            let move = ListCommand.move(MoveRequest(subject, to: Destination()))
            throw .refused(
                error, version: state.version, tasks: move.namedTasks(in: state.list))
        }
    }

    private func begin(
        _ drag: Drag, _ state: LoadedList.State
    ) throws(ServiceError) -> Lift {
        let begun = drags.change { table, now in
            Result { () throws(DragTable.Full) in try table.begin(drag, at: now) }
        }
        switch begun {
        case .failure(.list): throw .tooManyDrags(limit: limits.drags.perList, isOfList: true)
        case .failure(.server): throw .tooManyDrags(limit: limits.drags.perServer, isOfList: false)
        case .success: break
        }
        let move = ListCommand.move(MoveRequest(drag.subject, to: Destination()))
        return Lift(
            drag: drag.id, list: drag.list, version: state.version,
            tasks: move.namedTasks(in: state.list), secondsToLive: limits.drags.secondsToLive,
            expires: Date(timeIntervalSinceNow: limits.drags.secondsToLive))
    }

    /// Holds a drag over a destination: tells what a drop there would do now, and those who watch
    /// where it would be. The drag lives on, also where the drop would be refused.
    ///
    /// - Parameter scope: over a list outside of it nothing is held, and of one nothing is dragged.
    package func hover(
        _ id: String, over target: DragTarget, in scope: ListScope? = nil,
        _ completion: @escaping Completion<WriteAnswer>
    ) {
        guard hasDrag(id, in: scope) else { return completion(.failure(.dragNotFound(id))) }
        if let list = target.list, let scope, !scope(list) {
            return completion(.failure(.listForbidden(list)))
        }
        let begun = drags.change { table, now in table.hover(id, over: target, at: now) }
        guard let drag = begun else { return completion(.failure(.dragNotFound(id))) }
        let request = WriteRequest(
            list: drag.list, action: drag.action(to: target), isDryRun: true, scope: scope)
        write(request) { [drags] result in
            drags.change { table, now in
                table.settle(
                    id, hover: drag.lastHover, over: drag.place(in: result), at: now)
            }
            completion(result)
        }
    }

    /// Drops what is dragged: a move to a destination, else to where it was held last, else to where
    /// it stands. The drag ends once that is durable; refused, it goes on.
    ///
    /// - Parameters:
    ///   - scope: of a list outside of it nothing is dragged.
    ///   - request: makes the write, of its list and what it does.
    package func drop(
        _ id: String, at target: DragTarget?, in scope: ListScope? = nil,
        _ request: (_ list: String, _ action: WriteRequest.Action) -> WriteRequest,
        _ completion: @escaping Completion<WriteAnswer>
    ) {
        guard hasDrag(id, in: scope) else { return completion(.failure(.dragNotFound(id))) }
        let begun = drags.change { table, now in table.beginDrop(id, at: now) }
        guard let drag = begun else { return completion(.failure(.dragNotFound(id))) }
        write(request(drag.list, drag.action(to: target ?? drag.target))) { [drags] result in
            let isDone = if case .success = result { true } else { false }
            drags.change { table, _ in
                table.endDrop(id, at: drag.place(in: result), isDone: isDone)
            }
            completion(result)
        }
    }

    /// Ends a drag; everything is as it was.
    ///
    /// - Parameter scope: of a list outside of it nothing is dragged.
    package func cancelDrag(_ id: String, in scope: ListScope? = nil) throws(ServiceError) {
        guard hasDrag(id, in: scope), drags.change({ table, _ in table.end(id, .cancelled) }) else {
            throw .dragNotFound(id)
        }
    }

    /// Whether such a drag is going on, of a list in the scope. A drag's list never changes.
    private func hasDrag(_ id: String, in scope: ListScope?) -> Bool {
        guard let scope else { return true }
        return drags.read { $0.drags[id] }.map { scope($0.list) } ?? false
    }

    /// What someone who begins to watch a list now is to be told of its drags, and the notice after
    /// which the rest follows: between the two there is neither gap nor repeat.
    package func ongoingDrags(_ watch: ListWatch) -> (events: [[UInt8]], lastNotice: Int) {
        drags.read { table in (table.ongoing(on: watch.list), watch.lastNotice) }
    }

    /// The name of the events that tell of drags.
    package static let dragEvent = "drag"

    /// Ends the drags of tasks that have left their list.
    func endDrags(_ entries: [Committer.Entry]) {
        guard !drags.isEmpty else { return }
        drags.change { table, _ in
            for commit in entries.lazy.map(\.commit) {
                table.remove(
                    commit.outcome == .deleted ? nil : commit.deletedTasks, from: commit.list)
            }
        }
    }
}

extension Drag {
    /// Where the first task stands by a move's answer; `nil` where it was refused.
    fileprivate func place(in result: Result<WriteAnswer, ServiceError>) -> DragPlace? {
        guard case .success(let answer) = result else { return nil }
        switch answer.result {
        case .moved(_, let tasks): return tasks.first.map { DragPlace(placement: $0.placement) }
        case .transferred(_, let tasks, let other):
            return tasks.first.map { DragPlace(list: other.list, placement: $0.placement) }
        default: return nil
        }
    }
}

extension NamedTasks {
    fileprivate var first: ListTask? {
        switch self {
        case .one(let task): task
        case .several(let tasks): tasks.first
        }
    }
}
