/// A list that people reorder by hand: tasks with subtasks, in sections.
///
/// The list contains the tasks without a section, then its sections in order, each with its tasks.
/// Tasks have subtasks, on up to 16 levels. Siblings are tasks with the same parent and section.
///
/// It is a value: a copy does not see later changes of the original.
/// Copying costs O(1); the first writes after it copy the pages of memory that they change.
///
/// Requests (`move`, `create`, …) check the rules, change the list, and return the change as
/// operations in normal form; if they throw, nothing has changed. `apply` replays such operations
/// on another copy.
///
/// In the complexities, *n* is the number of siblings. The number of levels, at most 16, is
/// omitted.
public struct ReorderableList: Sendable {
    /// The maximum number of levels: a task's depth is at most this − 1.
    package static let maximumLevels = 16

    /// The settings of the list.
    public internal(set) var settings: ListSettings
    /// When the list was created and last changed.
    package var times = ListTimes()
    /// The time and author of the changes that follow. Set it before each change. nil leaves stamps
    /// as they are; a new task then has none, and a task that becomes done has no `completedAt`.
    /// It is not part of the list's value: `==` ignores it.
    package var changeStamp: ChangeStamp?
    /// Whether requests are refused for the limits in the list's settings. It is not part of the list's
    /// value either.
    package var checksLimits = true

    /// Root → sections (the first contains the tasks without a section) → tasks → subtasks.
    var forest: Forest
    var table: TaskTable
    var sectionTable: SectionTable
    /// nil until `elementsOffset` first gets a value other than 0.
    var topLevelCounts: TopLevelCounts?

    /// Creates an empty list without sections.
    package init(settings: ListSettings) {
        self.settings = settings
        forest = Forest()
        table = TaskTable()
        let unsectioned = forest.insert(into: Forest.root, at: 0, isRow: false)
        sectionTable = SectionTable(unsectioned: unsectioned)
        countTopLevelTasks()
    }

    /// The number of tasks, including hidden ones. O(1).
    public var count: Int { table.count }

    /// The number of top-level tasks, in all sections, that are not done. O(1).
    package internal(set) var openTopLevelCount = 0

    /// The number of visible tasks. O(1).
    public var rowCount: Int { forest.rowCount }

    /// The approximate memory of the list in bytes, including pages shared with copies. O(1).
    package var memoryBytes: Int {
        let sectionBytes = 256 * sectionTable.nodes.count + (topLevelCounts?.byteCount ?? 0)
        return Self.fixedBytes + forest.byteCount + table.byteCount + sectionBytes
    }

    /// The memory besides the pages: page directories and allocation overhead.
    private static let fixedBytes = 2 << 10
}

/// The sections' ids and titles, and their nodes.
struct SectionTable: Sendable {
    struct Record: Sendable {
        let text: FixedText
        var id: SectionID { text.string }
        var title: String
        var data: String?
        var maxTasks: Int?
    }

    /// The node of the tasks without a section, which is always the root's first child.
    let unsectioned: NodeID
    private(set) var nodes: [SectionID: NodeID] = [:]
    private(set) var records: [NodeID: Record] = [:]

    init(unsectioned: NodeID) {
        self.unsectioned = unsectioned
    }

    /// The node of a section; nil means "without a section".
    func node(for section: SectionID?) -> NodeID? {
        guard let section else { return unsectioned }
        return nodes[section]
    }

    /// The section of a node; nil for the tasks without one.
    func id(of node: NodeID) -> SectionID? { text(of: node)?.string }

    /// The id of a node's section, as `id(of:)`.
    func text(of node: NodeID) -> FixedText? {
        node == unsectioned ? nil : records[node]?.text
    }

    mutating func insert(
        _ node: NodeID, id: SectionID, title: String, data: String?, maxTasks: Int?
    ) {
        nodes[id] = node
        records[node] = Record(
            text: FixedText(id), title: title, data: data, maxTasks: maxTasks)
    }

    mutating func update(
        _ node: NodeID, title: String, data: DataUpdate?, maxTasks: LimitUpdate?
    ) {
        records[node]?.title = title
        if let data { records[node]?.data = data.data }
        if let maxTasks { records[node]?.maxTasks = maxTasks.limit }
    }

    mutating func remove(_ node: NodeID) {
        guard let record = records.removeValue(forKey: node) else { return }
        nodes[record.id] = nil
    }
}
