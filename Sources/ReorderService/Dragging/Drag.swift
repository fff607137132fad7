import Foundation
import ReorderEngine
import ReorderJSON

/// A drag: tasks that a client has lifted and not dropped yet.
struct Drag: Sendable {
    let id: String
    let list: String
    /// Never empty.
    let tasks: [TaskID]
    /// Whether the request named an array.
    let isBlock: Bool
    /// The first of the tasks that have no ancestor among the tasks.
    let root: TaskID
    /// The `Client-Id` of the last request about the drag that had one.
    var client: String?
    /// The authenticated name of whoever drags; nil if it is unknown.
    let author: String?
    /// See `DragClient`.
    let owner: String?

    /// The target of the last hover. A drop without a destination uses it; nil means the tasks'
    /// current place.
    var target: DragTarget?
    /// The place that a drop would give the tasks; nil if it would be refused or is not known yet.
    var over: DragPlace?
    /// Whether the drag has hovered over a target.
    var hasMoved = false
    /// Hovers are numbered, so that the result of an earlier hover does not replace that of a later
    /// one.
    var lastHover = 0
    var lastSettledHover = 0
    /// The number of drops in progress. Such a drop may itself move the tasks out of the list, so
    /// the drag does not end as `gone` before it.
    var runningDrops = 0
    var isGone = false

    /// When the drag expires, in nanoseconds of the monotonic clock; `expires` is the same time for
    /// clients.
    var deadline = 0
    var expires = Date.distantPast

    /// The last event that was sent to the watchers; nil before the first.
    var lastEvent: [UInt8]?
    var lastEventTime = 0
    var lastEventOver: DragPlace?
    var lastEventDeadline = 0
    /// Whether the drag has changed since the last event.
    var hasPendingEvent = false

    var subject: MoveRequest.Subject { isBlock ? .tasks(tasks) : .task(root) }

    /// The move that a drop at a target makes.
    func action(to target: DragTarget?) -> WriteRequest.Action {
        // To move a task after itself leaves it in its place.
        let target = target ?? DragTarget(Destination(after: root))
        let move = MoveRequest(subject, to: target.destination)
        guard let other = target.list else { return .command(.move(move)) }
        return .transfer(move, to: other)
    }

    /// The versions in which the rows of that move are counted.
    func rowVersions(of target: DragTarget?) -> [RowVersions] {
        target.map { $0.rowVersions.areCurrent ? [] : [$0.rowVersions] } ?? []
    }
}

/// The client that sends a request about a drag.
package struct DragClient: Sendable {
    /// The name that the client chooses, `Client-Id`.
    package var name: String?
    /// The authenticated name of whoever drags; nil if it is unknown.
    package var author: String?
    /// Only the client that began a drag may move, drop or cancel it. nil on a server without tokens,
    /// which knows no clients.
    package var identity: String?
    /// What the client may do; nil means everything.
    package var rights: (any ListRights)?

    package init(
        name: String? = nil, author: String? = nil, identity: String? = nil,
        rights: (any ListRights)? = nil
    ) {
        self.name = name
        self.author = author
        self.identity = identity
        self.rights = rights
    }
}

/// The place where a drag hovers or is dropped.
package struct DragTarget: Sendable {
    package var destination: Destination
    /// The list that the tasks move into; nil means their own list.
    package var list: String?
    /// The versions in which rows are counted.
    package var rowVersions: RowVersions

    package init(
        _ destination: Destination, list: String? = nil, _ rowVersions: RowVersions = RowVersions()
    ) {
        self.destination = destination
        self.list = list
        self.rowVersions = rowVersions
    }
}

/// The place that the first of the dragged tasks would have.
struct DragPlace: Sendable, Equatable {
    /// nil means the list of the drag.
    var list: String?
    var placement: Placement
}

/// The reason why a drag ended.
enum DragEnd: String, Sendable {
    case dropped
    case cancelled
    /// The client sent no update in time.
    case expired
    /// One of its tasks was deleted or moved to another list.
    case gone
}

extension Drag {
    /// The event's data. The event for the end has no `expiresAt`.
    func json(_ end: DragEnd? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("drag")
        writer.string(id)
        if let client {
            writer.name("client")
            writer.string(client)
        }
        if let author {
            writer.name("by")
            writer.string(author)
        }
        writer.name("state")
        switch end {
        case nil: writer.string(hasMoved ? "over" : "lifted")
        case .dropped: writer.string("dropped")
        case .cancelled, .expired, .gone: writer.string("cancelled")
        }
        if let end, end != .dropped {
            writer.name("reason")
            writer.string(end.rawValue)
        }
        if isBlock {
            writer.name("tasks")
            writer.beginArray()
            for task in tasks { writer.string(task) }
            writer.endArray()
        } else {
            writer.name("task")
            writer.string(root)
        }
        writer.name("over")
        if let over { writer.dragPlace(over) } else { writer.null() }
        if end == nil {
            writer.name("expiresAt")
            writer.string(expires.formatted(ChangeDocument.timestamp))
        }
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func dragPlace(_ place: DragPlace) {
        beginObject()
        if let list = place.list {
            name("list")
            string(list)
        }
        members(of: place.placement)
        endObject()
    }
}
