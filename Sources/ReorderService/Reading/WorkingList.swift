import ReorderEngine

/// A list as writes see and change it. It is a value: a decision on a copy changes nothing else.
struct WorkingList: Sendable {
    let id: String
    /// The last decided version; 0 if the list never existed.
    var version = 0
    /// Whether the list exists at `version`.
    var exists = false
    /// Whether the list exists, but its content can't be read. Then it can only be deleted for good.
    var isUnreadable = false
    private var content = Content(.absent)
    /// The last changes, if clients name rows of earlier versions.
    var steps: RecentSteps?
    /// The bytes of changes since the last snapshot, and the bytes of that snapshot.
    var bytesSinceSnapshot = 0
    var snapshotBytes = 0

    init(id: String) { self.id = id }

    /// The list at `version`; empty if it does not exist.
    var list: ReorderableList {
        _read { yield content.list }
        _modify {
            if !isKnownUniquelyReferenced(&content) {
                content = Content(content.list, copyCount: content.copyCount + 1)
            }
            yield &content.list
        }
    }

    /// How often the list was copied since it was loaded or created, because something else referred
    /// to it. For tests: within a batch of the writer, a list is copied once.
    var copyCount: Int { content.copyCount }

    /// A `ReorderableList` has many parts, so a reference to it is copied more cheaply.
    ///
    /// `@unchecked Sendable`: it is changed only while nothing else refers to it.
    private final class Content: @unchecked Sendable {
        @exclusivity(unchecked) var list: ReorderableList

        let copyCount: Int

        init(_ list: ReorderableList, copyCount: Int = 0) {
            self.list = list
            self.copyCount = copyCount
        }
    }

    /// Whether the changes since the last snapshot are larger than that snapshot.
    var isSnapshotDue: Bool { bytesSinceSnapshot > max(snapshotBytes, Self.smallSnapshotBytes) }

    /// For smaller changes, a snapshot saves too little.
    private static let smallSnapshotBytes = 16 << 10
}

/// The lists that a write is decided on.
struct WorkingLists: Sendable {
    /// The list that the request changes first.
    var list: WorkingList
    /// The other list that it needs: the one that tasks move into, or the one that is copied.
    var other: WorkingList?
    /// Whether their state is stored, as well as all else that the decision depends on. Only then may a
    /// worker decide the write, or may it be appended by itself.
    var isFresh = true

    var ids: [String] { other.map { [list.id, $0.id] } ?? [list.id] }
}

extension ReorderableList {
    /// The content of a list that does not exist, shared because each list takes memory.
    static let absent = ReorderableList(settings: ListSettings(title: ""))
}
