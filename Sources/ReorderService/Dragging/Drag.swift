import Foundation
import ReorderEngine
import ReorderJSON

/// Tasks that someone has lifted and not dropped yet, as those who watch the list see them.
struct Drag: Sendable {
    let id: String
    let list: String
    /// At least one.
    let tasks: [TaskID]
    /// Whether the request named an array.
    let isBlock: Bool
    /// One of the tasks that moves by itself, not with an ancestor.
    let root: TaskID
    let client: String?

    /// Where a drop that names no destination goes; `nil`: where the tasks stand.
    var target: DragTarget?
    /// Where the tasks would stand; `nil` where they may not, or nothing is known yet.
    var over: DragPlace?
    /// Whether it was held over something.
    var hasMoved = false
    /// Hovers are numbered, so that an answer that comes late does not undo a later one.
    var lastHover = 0
    var lastSettledHover = 0
    /// Drops that are being written: while there are any, the tasks may leave the list by them.
    var runningDrops = 0
    var isGone = false

    /// When it ends by itself, in nanoseconds of the monotonic clock, and for clients to read.
    var deadline = 0
    var expires = Date.distantPast

    /// What those who watch were told last; `nil`: nothing yet.
    var told: [UInt8]?
    var toldAt = 0
    var toldOver: DragPlace?
    var toldDeadline = 0
    /// Whether there is something that they have not been told.
    var hasNews = false

    var subject: MoveRequest.Subject { isBlock ? .tasks(tasks) : .task(root) }

    /// The move that a drop at a target is.
    func action(to target: DragTarget?) -> WriteRequest.Action {
        // Beside itself means where it stands.
        let target = target ?? DragTarget(Destination(after: root))
        let move = MoveRequest(subject, to: target.destination)
        guard let other = target.list else { return .command(.move(move)) }
        return .transfer(move, to: other)
    }
}

/// Where something is held, or dropped.
package struct DragTarget: Sendable {
    package var destination: Destination
    /// The list that the tasks shall move into; `nil`: their own.
    package var list: String?

    package init(_ destination: Destination, list: String? = nil) {
        self.destination = destination
        self.list = list
    }
}

/// Where the first of the dragged tasks would stand.
struct DragPlace: Sendable, Equatable {
    /// `nil`: the list from which it was lifted.
    var list: String?
    var placement: Placement
}

/// How much there may be of drags, and how fast.
package struct DragLimits: Sendable {
    package var perList = 100
    package var perServer = 1_000
    package var secondsToLive = 30.0
    /// Of one drag no two events come faster than this.
    package var secondsBetweenEvents = 0.05

    package init() {}
}

/// Why a drag is over.
enum DragEnd: String, Sendable {
    case dropped
    case cancelled
    /// Nobody gave a sign of life.
    case expired
    /// A task of it was deleted, or moved to another list.
    case gone
}

extension Drag {
    /// The event's data. An end has no `expires`.
    func json(_ end: DragEnd? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("drag")
        writer.string(id)
        if let client {
            writer.name("client")
            writer.string(client)
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
            writer.name("expires")
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
