import Foundation
import ReorderEngine

/// The live drags and their pending events. A pure state machine: the caller passes the time in,
/// and nothing blocks.
///
/// Times are in nanoseconds of the monotonic clock.
struct DragTable: Sendable {
    struct Notice: Sendable {
        var list: String
        var data: [UInt8]
    }

    let limits: DragLimits
    /// Has the time of day, for clients.
    private let environment: ServiceEnvironment
    private(set) var drags: [String: Drag] = [:]
    private var countOfList: [String: Int] = [:]
    private var notices: [Notice] = []
    /// The time at which `advance` must be called next; nil if there are no drags.
    private(set) var nextDue: Int?

    init(_ limits: DragLimits, _ environment: ServiceEnvironment = .system) {
        self.limits = limits
        self.environment = environment
    }

    enum Full: Error {
        case list, server
    }

    // MARK: A drag's life

    /// Adds a drag. The watchers are not notified before `announce`.
    mutating func begin(_ drag: Drag, at now: Int) throws(Full) {
        guard drags.count < limits.perServer else { throw .server }
        guard countOfList[drag.list, default: 0] < limits.perList else { throw .list }
        countOfList[drag.list, default: 0] += 1
        drags[drag.id] = drag
        renew(drag.id, at: now)
    }

    /// Notifies the watchers that the drag began. The drag may have ended already.
    mutating func announce(_ id: String, at now: Int) {
        change(id, at: now) { $0.hasPendingEvent = true }
    }

    /// Moves the drag over a target, which becomes the default destination of a drop.
    ///
    /// - Parameter client: the name that the client chooses.
    /// - Returns: the drag with the hover's number; nil if the drag does not exist.
    mutating func hover(
        _ id: String, over target: DragTarget, by client: String? = nil, at now: Int
    ) -> Drag? {
        renew(id, by: client, at: now)
        change(id, at: now) { drag in
            drag.target = target
            drag.lastHover += 1
        }
        return drags[id]
    }

    /// Records the result of a hover: the place of the tasks, or nil if a drop there would be
    /// refused.
    mutating func settle(_ id: String, hover: Int, over place: DragPlace?, at now: Int) {
        let isTold = { [limits] (drag: Drag) in
            drag.hasMoved && drag.lastEventOver == place
                && drag.lastEventDeadline - now > limits.nanosecondsToLive / 2
        }
        change(id, at: now) { drag in
            guard hover > drag.lastSettledHover else { return }
            drag.lastSettledHover = hover
            drag.hasPendingEvent = !isTold(drag)
            drag.over = place
            drag.hasMoved = true
        }
    }

    mutating func beginDrop(_ id: String, by client: String? = nil, at now: Int) -> Drag? {
        renew(id, by: client, at: now)
        change(id, at: now) { $0.runningDrops += 1 }
        return drags[id]
    }

    /// Records the result of a drop. A refused drop does not end the drag.
    mutating func endDrop(_ id: String, at place: DragPlace?, isDone: Bool) {
        drags[id]?.runningDrops -= 1
        if isDone {
            drags[id]?.over = place
            end(id, .dropped)
        } else if let drag = drags[id], drag.isGone, drag.runningDrops == 0 {
            end(id, .gone)
        }
    }

    /// - Returns: whether the drag existed.
    @discardableResult
    mutating func end(_ id: String, _ end: DragEnd, by client: String? = nil) -> Bool {
        guard var drag = drags.removeValue(forKey: id) else { return false }
        drag.client = client ?? drag.client
        let left = countOfList[drag.list, default: 1] - 1
        countOfList[drag.list] = left == 0 ? nil : left
        // Watchers that received no event about the drag need no event about its end.
        if drag.lastEvent != nil { notices.append(Notice(list: drag.list, data: drag.json(end))) }
        return true
    }

    /// Ends the drags whose tasks have left the list.
    ///
    /// - Parameter tasks: the tasks that left the list; nil if the list was deleted.
    mutating func remove(_ tasks: [TaskID]?, from list: String) {
        guard countOfList[list] != nil else { return }
        let gone = tasks.map(Set.init)
        remove(from: list) { gone?.contains($0) ?? true }
    }

    /// Ends the drags of a list that contain a task for which `isGone` is true.
    mutating func remove(from list: String, where isGone: (TaskID) -> Bool) {
        guard countOfList[list] != nil else { return }
        for drag in drags.values where drag.list == list && drag.tasks.contains(where: isGone) {
            if drag.runningDrops > 0 {
                drags[drag.id]?.isGone = true
            } else {
                end(drag.id, .gone)
            }
        }
    }

    /// Ends expired drags and sends events that are due. Complexity: O(number of drags).
    mutating func advance(to now: Int) {
        for drag in drags.values where drag.deadline <= now { end(drag.id, .expired) }
        nextDue = nil
        for id in Array(drags.keys) { change(id, at: now) { _ in } }
    }

    // MARK: Notices

    mutating func takeNotices() -> [Notice] {
        guard !notices.isEmpty else { return [] }
        defer { notices = [] }
        return notices
    }

    /// The last event of each drag of a list, the oldest drag first.
    func ongoing(on list: String) -> [[UInt8]] {
        guard countOfList[list] != nil else { return [] }
        return drags.values.filter { $0.list == list }.sorted { $0.id < $1.id }.compactMap(
            \.lastEvent)
    }

    private mutating func renew(_ id: String, by client: String? = nil, at now: Int) {
        change(id, at: now) { [limits, environment] drag in
            drag.client = client ?? drag.client
            drag.deadline = now + limits.nanosecondsToLive
            drag.expires = environment.date().addingTimeInterval(limits.secondsToLive)
        }
    }

    /// Changes a drag, sends an event if one is due, and updates `nextDue`.
    private mutating func change(_ id: String, at now: Int, _ body: (inout Drag) -> Void) {
        guard var drag = drags[id] else { return }
        body(&drag)
        var look = drag.deadline
        if drag.hasPendingEvent {
            let earliest = drag.lastEventTime + limits.nanosecondsBetweenEvents
            if drag.lastEvent == nil || earliest <= now {
                let data = drag.json()
                drag.lastEvent = data
                drag.lastEventTime = now
                drag.lastEventOver = drag.over
                drag.lastEventDeadline = drag.deadline
                drag.hasPendingEvent = false
                notices.append(Notice(list: drag.list, data: data))
            } else {
                look = min(look, earliest)
            }
        }
        drags[id] = drag
        nextDue = min(nextDue ?? look, look)
    }
}

extension DragLimits {
    fileprivate var nanosecondsToLive: Int { Int(secondsToLive * 1e9) }
    fileprivate var nanosecondsBetweenEvents: Int { Int(secondsBetweenEvents * 1e9) }
}
