import ReorderEngine

/// A trivial implementation of the rules, with nested arrays that every query walks. The engine is
/// compared with it.
struct ListModel: Equatable {
    struct Node: Equatable {
        var content: TaskContent
        var subtasks: [Node] = []

        var levels: Int { 1 + (subtasks.map(\.levels).max() ?? 0) }
    }

    struct Section: Equatable {
        /// nil for the tasks without a section, which always come first.
        var id: SectionID?
        var title: String
        var tasks: [Node] = []
    }

    /// A group of siblings: the top level of a section, or the subtasks of a task.
    enum Siblings: Equatable {
        case top(SectionID?)
        case under(TaskID)
    }

    var settings: ListSettings
    var sections = [Section(id: nil, title: "")]
}

// MARK: - Reading

extension ListModel {
    var tasks: [ListTask] {
        var tasks: [ListTask] = []
        var rows = 0
        var topLevel = 0
        func walk(
            _ nodes: [Node], section: SectionID?, parent: TaskID?, depth: Int, visible: Bool
        ) {
            for (position, node) in nodes.enumerated() {
                let placement = Placement(
                    section: section, parent: parent, position: position,
                    row: visible ? rows : nil)
                tasks.append(
                    ListTask(
                        content: node.content, placement: placement, depth: depth,
                        subtasks: node.subtasks.count,
                        isLockedByOffset: depth == 0 && topLevel < settings.elementsOffset))
                if depth == 0 { topLevel += 1 }
                if visible { rows += 1 }
                walk(
                    node.subtasks, section: section, parent: node.content.id, depth: depth + 1,
                    visible: visible && !node.content.collapsed)
            }
        }
        for section in sections {
            walk(section.tasks, section: section.id, parent: nil, depth: 0, visible: true)
        }
        return tasks
    }

    var rows: [ListTask] { tasks.filter { $0.placement.row != nil } }

    func task(_ id: TaskID) -> ListTask? { tasks.first { $0.id == id } }

    func has(section: SectionID?) -> Bool { sections.contains { $0.id == section } }

    func siblings(of task: ListTask) -> Siblings {
        if let parent = task.placement.parent {
            .under(parent)
        } else {
            .top(task.placement.section)
        }
    }

    /// A top-level task with the id of its section.
    struct TopLevelTask: Equatable {
        var section: SectionID?
        var task: TaskID
    }

    /// The first `count` top-level tasks, counted across the sections.
    func topLevelTasks(first count: Int) -> [TopLevelTask] {
        let all = sections.flatMap { section in
            section.tasks.map { TopLevelTask(section: section.id, task: $0.content.id) }
        }
        return Array(all.prefix(max(0, count)))
    }

    var lockedRows: [TopLevelTask] { topLevelTasks(first: settings.elementsOffset) }

    func nodes(_ wanted: Siblings) -> [Node] {
        var found: [Node] = []
        var copy = self
        copy.forEachSiblings { siblings, nodes in
            if siblings == wanted { found = nodes }
        }
        return found
    }

    func node(_ task: TaskID) -> Node? {
        var found: Node?
        var copy = self
        copy.forEachSiblings { _, nodes in
            found = found ?? nodes.first { $0.content.id == task }
        }
        return found
    }

    /// The task's id and those of its subtree.
    func subtree(of task: TaskID) -> [TaskID] {
        func ids(_ node: Node) -> [TaskID] { [node.content.id] + node.subtasks.flatMap(ids) }
        return node(task).map(ids) ?? []
    }
}

// MARK: - Changes without checking rules

extension ListModel {
    /// Passes each array of siblings, parents before their children.
    mutating func forEachSiblings(_ change: (Siblings, inout [Node]) -> Void) {
        func visit(_ siblings: Siblings, _ nodes: inout [Node]) {
            change(siblings, &nodes)
            for index in nodes.indices {
                visit(.under(nodes[index].content.id), &nodes[index].subtasks)
            }
        }
        for index in sections.indices {
            visit(.top(sections[index].id), &sections[index].tasks)
        }
    }

    mutating func remove(_ task: TaskID) {
        forEachSiblings { _, nodes in nodes.removeAll { $0.content.id == task } }
    }

    mutating func insert(_ new: [Node], at position: Int, among wanted: Siblings) {
        forEachSiblings { siblings, nodes in
            if siblings == wanted { nodes.insert(contentsOf: new, at: position) }
        }
    }

    mutating func edit(_ task: TaskID, _ change: (inout TaskContent) -> Void) {
        forEachSiblings { _, nodes in
            for index in nodes.indices where nodes[index].content.id == task {
                change(&nodes[index].content)
            }
        }
    }
}
