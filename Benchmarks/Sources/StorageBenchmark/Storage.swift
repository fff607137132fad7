import Measuring

@testable import ReorderEngine

enum Shape: String, CaseIterable {
    /// All tasks are siblings.
    case flat
    /// Each top-level task has ten subtasks.
    case nested
    /// Chains of sixteen levels.
    case chains
    /// Like `nested`, with all tasks collapsed.
    case collapsed
}

struct Storage {
    var forest = Forest()
    var table = TaskTable()
    private let size: Int
    private var random = SeededGenerator(seed: 1)

    init(shape: Shape, size: Int) {
        self.size = size
        var parent = Forest.root
        for number in 0..<size {
            switch shape {
            case .flat: break
            case .nested, .collapsed:
                if number % 11 == 0 { parent = Forest.root }
            case .chains:
                if number % 16 == 0 { parent = Forest.root }
            }
            let node = forest.insert(into: parent, at: forest.childCount(of: parent))
            table.insert(
                node, id: taskID(number), title: taskTitle(number), data: nil, done: false,
                locked: false)
            switch shape {
            case .flat: break
            case .nested: if parent == Forest.root { parent = node }
            case .collapsed:
                if parent == Forest.root { parent = node }
                forest.setCollapsed(node, true)
            case .chains: parent = node
            }
        }
    }
}

/// The operations. They are `mutating`, so that calls copy nothing.
extension Storage {
    mutating func anyID() -> String { taskID(.random(in: 0..<size, using: &random)) }
    mutating func anyNode() -> NodeID { table.node(for: anyID()) ?? Forest.root }
    mutating func anyRow() -> Int { .random(in: 0..<forest.rowCount, using: &random) }
    /// A random share of the siblings, in parts of 2³², that are before a task.
    mutating func anyPart() -> Int { .random(in: 0..<(1 << 32), using: &random) }

    mutating func move(_ node: NodeID, to part: Int) {
        let parent = forest.parent(of: node) ?? Forest.root
        forest.move(node, into: parent, at: forest.childCount(of: parent) * part >> 32)
    }

    mutating func move(_ id: String, to part: Int) {
        guard let node = table.node(for: id) else { return }
        blackHole(forest.placeAndRows(of: node))
        move(node, to: part)
        blackHole(forest.placeAndRows(of: node))
    }

    mutating func lookUp(_ id: String) { blackHole(table.node(for: id)) }
    mutating func row(of node: NodeID) { blackHole(forest.row(of: node)) }
    mutating func row(of id: String) {
        guard let node = table.node(for: id) else { return }
        blackHole(forest.row(of: node))
    }
    mutating func node(atRow row: Int) { blackHole(forest.node(atRow: row)) }

    mutating func collapseAndExpand(_ node: NodeID) {
        let wasCollapsed = forest.isCollapsed(node)
        forest.setCollapsed(node, !wasCollapsed)
        forest.setCollapsed(node, wasCollapsed)
    }

    mutating func insertAndDelete(beside node: NodeID, _ part: Int) {
        let parent = forest.parent(of: node) ?? Forest.root
        let new = forest.insert(into: parent, at: forest.childCount(of: parent) * part >> 32)
        table.insert(new, id: "new", title: "A new one", data: nil, done: false, locked: false)
        forest.remove(new) { table.remove($0) }
    }

    mutating func iterate(from row: Int) {
        for node in forest.rows(from: row).prefix(50) { blackHole(node.node) }
    }
}
