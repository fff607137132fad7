import Foundation
import ReorderEngine

/// The response to the request that begins a drag.
package struct Lift: Sendable {
    package var drag: String
    package var list: String
    /// The version of the list when the drag began.
    package var version: Int
    /// The current state of the tasks.
    package var tasks: NamedTasks
    package var secondsToLive: Double
    /// When the drag expires if it is not updated before.
    package var expires: Date
}

/// An update of a drag. It is applied when the request ends.
enum DragUpdate {
    /// Notify the watchers that the drag began.
    case lifted(String)
    /// Record the result of a hover; `over` is nil if a drop there would be refused.
    case hovered(String, number: Int, over: DragPlace?)
    /// End the drag if the drop was accepted.
    case dropping(String, at: DragPlace?, isDone: Bool)
}

/// Drags are shown to the clients that watch a list. They are not stored, and they lock nothing.
extension ListService {
    /// Begins a drag of tasks. It is refused if one of the tasks does not exist or is locked,
    /// because a move of the tasks would be refused too.
    ///
    /// - Parameters:
    ///   - tasks: at least one.
    ///   - isBlock: whether the request named an array.
    ///   - id: the id of the new drag.
    package func lift(
        _ tasks: [TaskID], isBlock: Bool, of list: String, as id: String, by client: String?,
        _ context: RequestContext
    ) throws(ServiceError) -> Lift {
        let snapshot = try snapshot(of: list, context)
        let drag = try drag(tasks, isBlock: isBlock, of: snapshot.list, as: id, by: client)
        let lift = try begin(drag, on: snapshot.list)
        context.progress.dragUpdate = .lifted(id)
        // A change that was published before the drag began has not ended it.
        find(list) { [drags] current in
            guard case .success(let current) = current else { return }
            Self.endDrags(ofGoneFrom: current.list, drags)
        }
        return lift
    }

    private func drag(
        _ tasks: [TaskID], isBlock: Bool, of list: WorkingList, as id: String, by client: String?
    ) throws(ServiceError) -> Drag {
        guard list.exists else { throw .listNotFound(list.id) }
        let subject: MoveRequest.Subject = isBlock ? .tasks(tasks) : .task(tasks.first ?? "")
        do throws(Refusal) {
            let roots = try list.list.checkLift(subject)
            return Drag(
                id: id, list: list.id, tasks: tasks, isBlock: isBlock, root: roots.first ?? "",
                client: client)
        } catch {
            let move = ListCommand.move(MoveRequest(subject, to: Destination()))
            throw .refused(
                error, version: list.version, tasks: move.namedTasks(in: list.list))
        }
    }

    private func begin(_ drag: Drag, on list: WorkingList) throws(ServiceError) -> Lift {
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
            drag: drag.id, list: drag.list, version: list.version,
            tasks: move.namedTasks(in: list.list),
            secondsToLive: limits.drags.secondsToLive,
            expires: environment.date().addingTimeInterval(limits.drags.secondsToLive))
    }

    /// Moves a drag over a destination. Returns the result that a drop there would have now, and
    /// shows the place to the watchers. If the drop would be refused, the drag continues.
    ///
    /// - Parameter scope: the lists that the client may use, both for the drag and for its
    ///   destination.
    package func hover(
        _ id: String, over target: DragTarget, in scope: (any ListScope)? = nil,
        _ context: RequestContext, as renderer: some WriteRenderer
    ) throws(ServiceError) -> WriteOutcome {
        if context.progress.drag == nil {
            guard hasDrag(id, in: scope) else { throw .dragNotFound(id) }
            if let list = target.list, let scope, !scope.allow(list) { throw .listForbidden(list) }
            context.progress.drag = drags.change { table, now in
                table.hover(id, over: target, at: now)
            }
        }
        guard let drag = context.progress.drag else { throw .dragNotFound(id) }
        context.progress.dragUpdate = .hovered(id, number: drag.lastHover, over: nil)
        let request = WriteRequest(
            list: drag.list, action: drag.action(to: target),
            rowVersions: drag.rowVersions(of: target), isDryRun: true, scope: scope)
        let outcome = try write(request, context, as: renderer)
        context.progress.dragUpdate = .hovered(
            id, number: drag.lastHover, over: drag.place(in: outcome))
        return outcome
    }

    /// Drops the dragged tasks: moves them to `target` or, if that is nil, to the target of the
    /// last hover. If there was no hover, they stay in their place. The drag ends when the move is
    /// durable. If the move is refused, the drag continues.
    ///
    /// - Parameters:
    ///   - scope: the lists that the client may use.
    ///   - request: its list and action are ignored.
    package func drop(
        _ id: String, at target: DragTarget?, in scope: (any ListScope)? = nil,
        _ request: WriteRequest,
        _ context: RequestContext, as renderer: some WriteRenderer
    ) throws(ServiceError) -> WriteOutcome {
        if let replayed = try replay(of: request, context) { return replayed }
        if context.progress.drag == nil {
            guard hasDrag(id, in: scope) else { throw .dragNotFound(id) }
            context.progress.drag = drags.change { table, now in table.beginDrop(id, at: now) }
        }
        guard let drag = context.progress.drag else { throw .dragNotFound(id) }
        context.progress.dragUpdate = .dropping(id, at: nil, isDone: false)
        var request = request
        request.list = drag.list
        request.action = drag.action(to: target ?? drag.target)
        request.rowVersions = drag.rowVersions(of: target ?? drag.target)
        let outcome = try write(request, context, as: renderer)
        context.progress.dragUpdate = .dropping(
            id, at: drag.place(in: outcome), isDone: outcome.answer != nil)
        return outcome
    }

    /// Updates a drag at the end of a request.
    ///
    /// - Parameter isDone: whether everything that the request has decided is durable.
    func finish(_ step: DragUpdate, isDone: Bool) {
        drags.change { table, now in
            switch step {
            case .lifted(let id):
                if isDone { table.announce(id, at: now) } else { table.end(id, .gone) }
            case .hovered(let id, let number, let place):
                table.settle(id, hover: number, over: isDone ? place : nil, at: now)
            case .dropping(let id, let place, let isDropped):
                table.endDrop(id, at: place, isDone: isDropped && isDone)
            }
        }
    }

    /// Cancels a drag. Its tasks stay in their place.
    ///
    /// - Parameter scope: the lists that the client may use.
    package func cancelDrag(_ id: String, in scope: (any ListScope)? = nil) throws(ServiceError) {
        guard hasDrag(id, in: scope), drags.change({ table, _ in table.end(id, .cancelled) }) else {
            throw .dragNotFound(id)
        }
    }

    /// Whether the drag exists and its list is in the scope. A drag's list never changes.
    private func hasDrag(_ id: String, in scope: (any ListScope)?) -> Bool {
        guard let scope else { return true }
        return drags.read { $0.drags[id] }.map { scope.allow($0.list) } ?? false
    }

    /// The latest events of a list's drags for a new watcher, and the number of the notice after
    /// which the watcher continues. No event is missed or repeated between the two.
    package func ongoingDrags(_ watch: ListWatch) -> (events: [[UInt8]], lastNotice: Int) {
        drags.read { table in (table.ongoing(on: watch.list), watch.lastNotice) }
    }

    /// The name of the events about drags.
    package static let dragEvent = "drag"
}

extension WriteOutcome {
    /// The result; nil if the request was refused, or its stored response was returned.
    package var answer: WriteResult? {
        switch self {
        case .done(let answer): answer
        case .stored(_, let result): try? result.get()
        case .replayed: nil
        }
    }
}

extension Drag {
    /// The place of the first task after the move; nil if the move was refused.
    fileprivate func place(in outcome: WriteOutcome) -> DragPlace? {
        switch outcome.answer?.result {
        case .moved(let outcome, _)?:
            outcome.tasks.first.map { DragPlace(placement: $0.task.placement) }
        case .transferred(let outcome, _, let other)?:
            outcome.tasks.first.map { DragPlace(list: other.list, placement: $0.task.placement) }
        default: nil
        }
    }
}
