import ReorderEngine
import ReorderImportExport
import ReorderJSON

/// What CalDAV needs beside a task: the member `caldav` of the task's `data`. Clients of the API can write it too, so
/// values that can't be used are ignored.
struct StoredResource: Sendable {
    /// The sort key.
    var order: Int?
    /// The UID of the parent that the task had when it got the key.
    var below: String?
    /// The places that the task had before, the last one first.
    private(set) var former: [FormerPlace] = []
    /// The name of the resource, if it does not follow from the task's id.
    var name: String?
    /// The UID, if it is not the task's id.
    var uid: String?
    /// The UID of a parent that does not exist yet.
    var parent: String?
    /// The text that a client wrote. It is not read with the rest, because few responses need it.
    var text: String?

    init() {}

    init(data: String?) {
        Self.read(data) { reader in
            while let name = reader.nextMember() {
                switch name {
                case "order": order = OrderKey.valid(try? reader.readInt())
                case "below": below = try? reader.readString()
                case "former": former = FormerPlace.read(&reader)
                case "name":
                    self.name = (try? reader.readString()).flatMap {
                        ResourceName.isValid($0) ? $0 : nil
                    }
                case "uid":
                    uid = (try? reader.readString()).flatMap { Self.isUID($0) ? $0 : nil }
                case "parent": parent = try? reader.readString()
                default: break
                }
            }
        }
    }

    /// Whether a text can be a UID.
    private static func isUID(_ text: String) -> Bool {
        !text.isEmpty && text.withoutControls.utf8.elementsEqual(text.utf8)
            && !text.utf8.contains(0x0D)
    }

    /// The text that a client wrote.
    static func text(data: String?) -> String? {
        var text: String?
        read(data) { reader in
            while let name = reader.nextMember() {
                if "text" ~= name { text = try? reader.readString() }
            }
        }
        return text
    }

    private static func read(_ data: String?, _ body: (inout JSONReader) -> Void) {
        guard let data, let text = try? JSONText(checking: Array(data.utf8)) else { return }
        var reader = JSONReader(text)
        guard (try? reader.beginObject()) != nil else { return }
        while let name = reader.nextMember() {
            guard "caldav" ~= name, reader.peek == .object, (try? reader.beginObject()) != nil
            else { continue }
            body(&reader)
        }
    }

    /// The merge patch of the member `caldav` that leads from another value to this one; nil if nothing changes.
    func patch(from old: StoredResource) -> [UInt8]? {
        var isEmpty = true
        var writer = JSONWriter()
        writer.beginObject()
        if order != old.order {
            writer.name("order")
            if let order { writer.int(order) } else { writer.null() }
            isEmpty = false
        }
        if former != old.former {
            writer.name("former")
            if former.isEmpty { writer.null() } else { writer.former(former) }
            isEmpty = false
        }
        for (member, new, last) in [
            ("below", below, old.below), ("name", name, old.name), ("uid", uid, old.uid),
            ("parent", parent, old.parent),
            ("text", text, old.text),
        ] where !Self.isSame(new, last) {
            writer.name(escaping: member)
            writer.stringOrNull(new)
            isEmpty = false
        }
        writer.endObject()
        return isEmpty ? nil : writer.takeBytes()
    }

    /// Gives the task another key or parent, and remembers the ones before.
    ///
    /// - Parameter below: the UID of the parent.
    mutating func place(_ order: Int?, below: String?, remembers: Bool = true) {
        guard order != self.order || below != self.below else { return }
        if remembers, let key = self.order {
            let place = FormerPlace(order: key, below: self.below)
            former = [place] + former.filter { $0 != place }.prefix(FormerPlace.maximumCount - 1)
        } else if !remembers {
            former = []
        }
        self.order = order
        self.below = below
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.hasBytes(of: other)
    }
}

extension String {
    /// Whether two texts have the same bytes. Those that Unicode calls equivalent can differ in them.
    func hasBytes(of other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.sameBytes(as: $0) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

/// A place that a task had. A client that has not read the task since then can still send it.
struct FormerPlace: Equatable, Sendable {
    static let maximumCount = 4

    var order: Int
    var below: String?

    fileprivate static func read(_ reader: inout JSONReader) -> [FormerPlace] {
        var places: [FormerPlace] = []
        guard (try? reader.beginArray()) != nil else { return [] }
        while reader.nextElement() {
            guard (try? reader.beginObject()) != nil else { continue }
            var (order, below): (Int?, String?)
            while let name = reader.nextMember() {
                switch name {
                case "order": order = try? reader.readInt()
                case "below": below = try? reader.readString()
                default: break
                }
            }
            if let order { places.append(FormerPlace(order: order, below: below)) }
        }
        return places
    }
}

extension JSONWriter {
    fileprivate mutating func former(_ places: [FormerPlace]) {
        beginArray()
        for place in places {
            beginObject()
            name("order")
            int(place.order)
            if let below = place.below {
                name("below")
                string(below)
            }
            endObject()
        }
        endArray()
    }
}

extension CalendarTask {
    /// The change of the task's `data`; nil if nothing changes.
    ///
    /// - Throws: if the data belongs to another app, and has no members that could say what changes.
    func update(
        to written: TaskMeaning, _ roles: [TaskMeaning.Role], _ stored: StoredResource
    ) throws(DAVError) -> DataUpdate? {
        guard hasObject else {
            guard DataPatch.roles.allSatisfy({ !roles.contains($0) }) else { throw .otherData }
            return nil
        }
        return DataPatch.make(written, roles, stored, from: self.stored).map { .set($0) }
    }
}

/// A merge patch of a task's `data`.
enum DataPatch {
    /// Those that are members of `data`.
    static let roles: [TaskMeaning.Role] = [.notes, .due, .url, .priority, .labels]

    /// - Parameters:
    ///   - meaning: the new content; nil keeps the content.
    ///   - roles: the roles in which it differs.
    /// - Returns: nil if nothing changes.
    static func make(
        _ meaning: TaskMeaning?, _ roles: [TaskMeaning.Role], _ stored: StoredResource,
        from old: StoredResource
    ) -> String? {
        var writer = JSONWriter()
        writer.beginObject()
        var isEmpty = true
        func text(_ member: StaticString, _ value: String) {
            writer.name(member)
            writer.stringOrNull(value.isEmpty ? nil : value)
            isEmpty = false
        }
        if let meaning {
            if roles.contains(.notes) { text("notes", meaning.notes) }
            if roles.contains(.due) { text("due", meaning.due) }
            if roles.contains(.url) { text("url", meaning.url) }
            if roles.contains(.priority) {
                writer.name("priority")
                if let priority = meaning.priority { writer.int(priority) } else { writer.null() }
                isEmpty = false
            }
            if roles.contains(.labels) {
                writer.name("labels")
                if meaning.labels.isEmpty {
                    writer.null()
                } else {
                    writer.beginArray()
                    for label in meaning.labels { writer.string(label) }
                    writer.endArray()
                }
                isEmpty = false
            }
        }
        if let patch = stored.patch(from: old) {
            writer.name("caldav")
            writer.raw(patch)
            isEmpty = false
        }
        writer.endObject()
        return isEmpty ? nil : String(decoding: writer.takeBytes(), as: UTF8.self)
    }

    /// Data would exceed its limit.
    struct TooLarge: Error {}

    /// The `data` of a new task; nil if it has none.
    static func newData(_ meaning: TaskMeaning?, _ stored: StoredResource) throws(TooLarge)
        -> String?
    {
        let patch = make(
            meaning, roles, stored, from: StoredResource())
        guard let patch, let data = try? MergePatch.apply(patch, to: nil) else { return nil }
        guard FormLimits.allowsData(data) else { throw TooLarge() }
        return data == "{}" ? nil : data
    }
}
