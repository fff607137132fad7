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
        _ tasks: [TaskID], isBlock: Bool, of list: String, as id: String, by client: DragClient,
        _ done: @escaping Completion<Lift>
    ) {
        find(
            list,
            continuing(done) { [self] snapshot throws(ServiceError) in
                let drag = try drag(tasks, isBlock: isBlock, of: snapshot.list, as: id, by: client)
                let lift = try begin(drag, on: snapshot.list)
                // A change that was published before the drag began has not ended it.
                find(list) { [drags] current in
                    guard case .success(let current) = current else { return }
                    Self.endDrags(ofGoneFrom: current.list, drags)
                }
                drags.change { table, now in table.announce(id, at: now) }
                done(.success(lift))
            })
    }

    private func drag(
        _ tasks: [TaskID], isBlock: Bool, of list: WorkingList, as id: String,
        by client: DragClient
    ) throws(ServiceError) -> Drag {
        guard list.exists else { throw .listNotFound(list.id) }
        let subject: MoveRequest.Subject = isBlock ? .tasks(tasks) : .task(tasks.first ?? "")
        do throws(Refusal) {
            let roots = try list.list.checkLift(subject)
            return Drag(
                id: id, list: list.id, tasks: tasks, isBlock: isBlock, root: roots.first ?? "",
                client: client.name, author: client.author, owner: client.identity)
        } catch {
            throw .refused(
                error, version: list.version, tasks: NamedTasks(subject, in: list.list))
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
        return Lift(
            drag: drag.id, list: drag.list, version: list.version,
            tasks: NamedTasks(drag.subject, in: list.list),
            secondsToLive: limits.drags.secondsToLive,
            expires: environment.date().addingTimeInterval(limits.drags.secondsToLive))
    }

    /// Moves a drag over a destination. Returns the result that a drop there would have now, and
    /// shows the place to the watchers. If the drop would be refused, the drag continues.
    package func hover(
        _ id: String, over target: DragTarget, by client: DragClient,
        as renderer: any WriteRenderer, _ done: @escaping Completion<WriteOutcome>
    ) {
        attempt(done) { () throws(ServiceError) in
            try check(client, ownsDrag: id)
            if let list = target.list { try client.rights?.checkWriting(list) }
            let hovering = drags.change { table, now in
                table.hover(id, over: target, by: client.name, at: now)
            }
            guard let drag = hovering else { throw .dragNotFound(id) }
            let request = WriteRequest(
                list: drag.list, action: drag.action(to: target),
                rowVersions: drag.rowVersions(of: target), isDryRun: true,
                rights: client.rights)
            write(request, as: renderer) { [drags] outcome in
                let place = (try? outcome.get()).flatMap { drag.place(in: $0) }
                drags.change { table, now in
                    table.settle(id, hover: drag.lastHover, over: place, at: now)
                }
                done(outcome)
            }
        }
    }

    /// Drops the dragged tasks: moves them to `target` or, if that is nil, to the target of the
    /// last hover. If there was no hover, they stay in their place. The drag ends when the move is
    /// durable. If the move is refused, the drag continues.
    ///
    /// - Parameter request: its list and action are ignored.
    package func drop(
        _ id: String, at target: DragTarget?, by client: DragClient,
        _ request: WriteRequest, as renderer: any WriteRenderer,
        _ done: @escaping Completion<WriteOutcome>
    ) {
        replay(
            of: request,
            continuing(done) { [self] replayed throws(ServiceError) in
                if let replayed { return done(.success(replayed)) }
                try check(client, ownsDrag: id)
                let dropping = drags.change { table, now in
                    table.beginDrop(id, by: client.name, at: now)
                }
                guard let drag = dropping else { throw .dragNotFound(id) }
                var request = request
                request.list = drag.list
                request.action = drag.action(to: target ?? drag.target)
                request.rowVersions = drag.rowVersions(of: target ?? drag.target)
                write(request, as: renderer) { [drags] result in
                    let outcome = try? result.get()
                    drags.change { table, _ in
                        table.endDrop(
                            id, at: outcome.flatMap { drag.place(in: $0) },
                            isDone: outcome?.answer != nil)
                    }
                    done(result)
                }
            })
    }

    /// Cancels a drag. Its tasks stay in their place.
    package func cancelDrag(_ id: String, by client: DragClient) throws(ServiceError) {
        try check(client, ownsDrag: id)
        guard drags.change({ table, _ in table.end(id, .cancelled, by: client.name) }) else {
            throw .dragNotFound(id)
        }
    }

    /// Checks that the drag exists, that the client may change its list, and that the client began
    /// it. The list and the owner of a drag never change.
    private func check(_ client: DragClient, ownsDrag id: String) throws(ServiceError) {
        guard let drag = drags.read({ $0.drags[id] }),
            client.rights?.allowReading(drag.list) ?? true
        else { throw .dragNotFound(id) }
        try client.rights?.checkWriting(drag.list)
        guard drag.owner == client.identity else { throw .dragOfOtherClient(id) }
    }

    /// The latest events of a list's drags for a new watcher, and the number of the notice after
    /// which the watcher continues. No event is missed or repeated between the two.
    package func ongoingDrags(_ channel: ListChannel) -> (events: [[UInt8]], lastNotice: Int) {
        drags.read { table in (table.ongoing(on: channel.list), channel.lastNotice) }
    }

    /// The name of the events about drags.
    package static let dragEvent = "drag"
}

extension WriteOutcome {
    /// The result; nil if the request was refused, or its stored response was returned.
    package var answer: WriteResult? {
        switch self {
        case .result(let answer): answer
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
