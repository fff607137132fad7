import ReorderCrypto
import ReorderEngine
import ReorderJSON
import ReorderService

/// A task as a resource of a calendar.
struct CalendarTask: Sendable {
    let content: TaskContent
    let placement: Placement
    let stored: StoredResource
    /// The last segment of its path.
    var name: String
    var uid: String
    /// The UID of its parent, also of one that does not exist yet.
    var parent: String?

    var id: TaskID { content.id }
    var order: Int? { stored.order }

    /// Whether its `data` can have members. Other data belongs to its app.
    var hasObject: Bool { content.data.map { $0.utf8.first == UInt8(ascii: "{") } ?? true }

    /// Whether its `data` has room for a sort key.
    var canStore: Bool {
        guard let data = content.data else { return true }
        let room = stored.order == nil ? 64 : 16
        return hasObject && data.utf8.count + room <= FormLimits.dataBytes
    }

    /// Whether its `data` has room for former places too.
    var hasRoom: Bool { (content.data?.utf8.count ?? 0) + 256 <= FormLimits.dataBytes }

    var meaning: TaskMeaning {
        TaskMeaning(content, uid: uid, parent: parent, order: stored.order)
    }

    /// The entity tag: a digest of all that is rendered, so that it is known without rendering.
    var tag: String {
        var text = JSONWriter()
        text.beginArray()
        // Another rendering needs another number.
        text.int(1)
        text.string(uid)
        text.stringOrNull(parent)
        text.string(content.title)
        text.bool(content.done)
        text.bool(content.collapsed)
        for time in [
            content.stamps.createdAt, content.stamps.updatedAt, content.stamps.completedAt,
        ] {
            if let time { text.int(Int(time)) } else { text.null() }
        }
        text.stringOrNull(content.data)
        text.endArray()
        let digits = Array("0123456789abcdef".utf8)
        let tag = SHA256.digest(of: text.takeBytes()).prefix(12).flatMap { byte in
            [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return "\"\(String(decoding: tag, as: UTF8.self))\""
    }
}
