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

/// What is to be done with a drag when a request has ended.
enum DragStep {
    /// Show that it was lifted.
    case lifted(String)
    /// Show where it is held; nil: nowhere that it may be dropped.
    case hovered(String, number: Int, over: DragPlace?)
    /// End it if it was dropped.
    case dropping(String, at: DragPlace?, isDone: Bool)
}

/// Drags are shown to the clients that watch a list. They are stored nowhere, and lock nothing.
extension ListService {
    /// Begins a drag of tasks. It is refused if a move of the tasks would be: one does not exist, or is locked.
    ///
    /// - Parameters:
    ///   - tasks: at least one.
    ///   - isBlock: whether the request named an array.
    ///   - id: the drag's, new.
    package func lift(
        _ tasks: [TaskID], isBlock: Bool, of list: String, as id: String, by client: String?,
        _ context: RequestContext
    ) throws(ServiceError) -> Lift {
        try decide(on: list, context) { lists throws(Interruption) in
            // Under the list's lock: a change that takes a task from the list later finds the drag.
            do throws(ServiceError) {
                let drag = try drag(
                    tasks, isBlock: isBlock, of: lists.list, as: id, by: client)
                let lift = try begin(drag, on: lists.list)
                context.progress.dragStep = .lifted(id)
                return lift
            } catch {
                throw .refused(error)
            }
        }
    }

    private func drag(
        _ tasks: [TaskID], isBlock: Bool, of list: CachedList, as id: String, by client: String?
    ) throws(ServiceError) -> Drag {
        guard list.state.exists else { throw .listNotFound(list.id) }
        let subject: MoveRequest.Subject = isBlock ? .tasks(tasks) : .task(tasks.first ?? "")
        do throws(Refusal) {
            let roots = try list.state.list.checkLift(subject)
            return Drag(
                id: id, list: list.id, tasks: tasks, isBlock: isBlock, root: roots.first ?? "",
                client: client)
        } catch {
            let move = ListCommand.move(MoveRequest(subject, to: Destination()))
            throw .refused(
                error, version: list.state.version, tasks: move.namedTasks(in: list.state.list))
        }
    }

    private func begin(_ drag: Drag, on list: CachedList) throws(ServiceError) -> Lift {
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
            drag: drag.id, list: drag.list, version: list.state.version,
            tasks: move.namedTasks(in: list.state.list),
            secondsToLive: limits.drags.secondsToLive,
            expires: Date(timeIntervalSinceNow: limits.drags.secondsToLive))
    }

    /// Holds a drag over a destination: returns what a drop there would do now, and shows where it would be. The
    /// drag lives on, also if the drop would be refused.
    ///
    /// - Parameter scope: over a list outside of it nothing is held, and of one nothing is dragged.
    package func hover(
        _ id: String, over target: DragTarget, in scope: ListScope? = nil,
        _ context: RequestContext, as renderer: some WriteRenderer
    ) throws(ServiceError) -> WriteOutcome {
        if context.progress.drag == nil {
            guard hasDrag(id, in: scope) else { throw .dragNotFound(id) }
            if let list = target.list, let scope, !scope(list) { throw .listForbidden(list) }
            context.progress.drag = drags.change { table, now in table.hover(id, over: target, at: now) }
        }
        guard let drag = context.progress.drag else { throw .dragNotFound(id) }
        context.progress.dragStep = .hovered(id, number: drag.lastHover, over: nil)
        let request = WriteRequest(
            list: drag.list, action: drag.action(to: target), isDryRun: true, scope: scope)
        let outcome = try write(request, context, as: renderer)
        context.progress.dragStep = .hovered(id, number: drag.lastHover, over: drag.place(in: outcome))
        return outcome
    }

    /// Drops what is dragged: a move to a destination, else to where it was held last, else to where
    /// it stands. The drag ends once that is durable; if it is refused, the drag goes on.
    ///
    /// - Parameters:
    ///   - scope: of a list outside of it nothing is dragged.
    ///   - request: its list and action do not count.
    package func drop(
        _ id: String, at target: DragTarget?, in scope: ListScope? = nil, _ request: WriteRequest,
        _ context: RequestContext, as renderer: some WriteRenderer
    ) throws(ServiceError) -> WriteOutcome {
        if let key = request.key, let bytes = try storedResponse(to: key, of: request, context) {
            return .replayed(bytes)
        }
        if context.progress.drag == nil {
            guard hasDrag(id, in: scope) else { throw .dragNotFound(id) }
            context.progress.drag = drags.change { table, now in table.beginDrop(id, at: now) }
        }
        guard let drag = context.progress.drag else { throw .dragNotFound(id) }
        context.progress.dragStep = .dropping(id, at: nil, isDone: false)
        var request = request
        request.list = drag.list
        request.action = drag.action(to: target ?? drag.target)
        let outcome = try write(request, context, as: renderer)
        context.progress.dragStep = .dropping(
            id, at: drag.place(in: outcome), isDone: outcome.answer != nil)
        return outcome
    }

    /// Does what is left to do with a drag once a request has ended.
    ///
    /// - Parameter isDone: whether all that the request has decided is durable.
    func finish(_ step: DragStep, isDone: Bool) {
        drags.change { table, now in
            switch step {
            case .lifted(let id):
                if isDone { table.tell(id, at: now) } else { table.end(id, .gone) }
            case .hovered(let id, let number, let place):
                table.settle(id, hover: number, over: isDone ? place : nil, at: now)
            case .dropping(let id, let place, let isDropped):
                table.endDrop(id, at: place, isDone: isDropped && isDone)
            }
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
    func endDrags(_ entries: [ListEntry]) {
        guard !drags.isEmpty else { return }
        drags.change { table, _ in
            for commit in entries.lazy.map(\.commit) {
                table.remove(
                    commit.outcome == .deleted ? nil : commit.deletedTasks, from: commit.list)
            }
        }
    }
}

extension WriteOutcome {
    /// What was done; nil if the request was refused, or done before.
    package var answer: WriteAnswer? {
        switch self {
        case .done(let answer): answer
        case .stored(_, let answer): answer
        case .replayed: nil
        }
    }
}

extension Drag {
    /// Where the first task stands after a move; nil if it was refused.
    fileprivate func place(in outcome: WriteOutcome) -> DragPlace? {
        switch outcome.answer?.result {
        case .moved(_, let tasks)?: tasks.first.map { DragPlace(placement: $0.placement) }
        case .transferred(_, let tasks, let other)?:
            tasks.first.map { DragPlace(list: other.list, placement: $0.placement) }
        default: nil
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
