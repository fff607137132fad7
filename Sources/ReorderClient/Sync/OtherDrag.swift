import ReorderEngine
import ReorderJSON

/// A drag of another client, which it has announced.
struct OtherDrag: Sendable, Equatable {
    /// The dragged tasks; those below them are dragged too.
    var tasks: [TaskID]
    /// The author, as in changes; nil if the server does not know it.
    var author: String?
}

/// The drags of others. They are only known while the stream is connected: the server sends those in progress after `hello`, and the end
/// of each.
extension SyncMachine {
    mutating func forgetDrags() {
        if !drags.isEmpty { drags = [:] }
    }

    /// Handles an event `drag`. One that this version does not understand is ignored.
    mutating func receiveDrag(_ json: [UInt8]) {
        guard let event = try? DragEvent(json: json) else { return }
        // Others can send this client's id, but do not have its author.
        let isOwn = event.client == client && (author == nil || event.author == author)
        guard !isOwn else { return }
        drags[event.drag] =
            event.isInProgress ? OtherDrag(tasks: event.tasks, author: event.author) : nil
    }
}

private struct DragEvent {
    var drag = ""
    var client: String?
    var author: String?
    var tasks: [TaskID] = []
    var isInProgress = false

    init(json: [UInt8]) throws {
        var reader = try JSONReader(answer: json)
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "drag": drag = try reader.readString()
            case "client": client = try reader.readStringOrNull()
            case "by": author = try reader.readStringOrNull()
            case "task": tasks = [try reader.readString()]
            case "tasks":
                tasks = []
                try reader.beginArray()
                while reader.nextElement() { tasks.append(try reader.readString()) }
            case "state": isInProgress = ["lifted", "over"].contains(try reader.readString())
            default: reader.skip()
            }
        }
    }
}
