/// A list that people reorder by hand: tasks with subtasks, in sections.
///
/// The list holds the tasks without a section, then its sections in order, each with its tasks.
/// A task holds subtasks, 16 levels in all. Siblings are tasks that share parent and section.
///
/// A value: a copy is a consistent snapshot that later changes of the original never touch. Making
/// one costs O(1); the first writes after it copy the pages of memory that they change.
///
/// Requests (`move`, `create`, …) check the rules, change the list, and return what they did as
/// operations in normal form; if they throw, nothing has changed. `apply` replays such
/// operations on another copy.
///
/// In the complexities, *n* is the number of siblings concerned, and the number of ancestors, which
/// is at most 16, is left out.
public struct ReorderableList: Sendable {
    /// How many levels of tasks there may be: a task's depth is at most this − 1.
    public static let maximumLevels = 16

    /// What holds for the list as a whole.
    public internal(set) var settings: ListSettings

    /// Root → sections (the first stands for "without a section") → tasks → subtasks.
    var forest: Forest
    var table: TaskTable
    var sectionTable: SectionTable
    /// `nil` until the list has an `elementsOffset` for the first time.
    var topLevelCounts: TopLevelCounts?

    /// An empty list without sections.
    public init(settings: ListSettings) {
        self.settings = settings
        forest = Forest()
        table = TaskTable()
        let unsectioned = forest.insert(into: Forest.root, at: 0, isRow: false)
        sectionTable = SectionTable(unsectioned: unsectioned)
        countTopLevelTasks()
    }

    /// How many tasks the list holds, the hidden ones too. O(1).
    public var count: Int { table.count }

    /// How many tasks are visible. O(1).
    public var rowCount: Int { forest.rowCount }

    /// About how many bytes of memory the list takes; what it shares with copies is counted in
    /// full. O(1).
    public var memoryBytes: Int {
        let sectionBytes = 256 * sectionTable.nodes.count + (topLevelCounts?.byteCount ?? 0)
        return Self.fixedBytes + forest.byteCount + table.byteCount + sectionBytes
    }

    /// What a list takes beside its pages: the directories of pages, and what allocating costs.
    private static let fixedBytes = 2 << 10
}

/// The sections' ids and titles, and the nodes that stand for them.
struct SectionTable: Sendable {
    struct Record: Sendable {
        var id: SectionID
        var title: String
    }

    /// The node that holds the tasks without a section: the root's first child, always.
    let unsectioned: NodeID
    private(set) var nodes: [SectionID: NodeID] = [:]
    private(set) var records: [NodeID: Record] = [:]

    init(unsectioned: NodeID) {
        self.unsectioned = unsectioned
    }

    /// The node of a section; `nil` stands for "without a section".
    func node(for section: SectionID?) -> NodeID? {
        guard let section else { return unsectioned }
        return nodes[section]
    }

    /// The section that a node stands for; `nil` for the tasks without one.
    func id(of node: NodeID) -> SectionID? {
        node == unsectioned ? nil : records[node]?.id
    }

    mutating func insert(_ node: NodeID, id: SectionID, title: String) {
        nodes[id] = node
        records[node] = Record(id: id, title: title)
    }

    mutating func rename(_ node: NodeID, title: String) {
        records[node]?.title = title
    }

    mutating func remove(_ node: NodeID) {
        guard let record = records.removeValue(forKey: node) else { return }
        nodes[record.id] = nil
    }
}
