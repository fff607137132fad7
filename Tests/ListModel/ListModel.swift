import ReorderEngine

/// A trivial implementation of the rules, with nested arrays that every query walks. The engine is
/// compared with it.
package struct ListModel: Equatable {
    package struct Node: Equatable {
        package var content: TaskContent
        package var subtasks: [Node] = []

        package init(content: TaskContent, subtasks: [Node] = []) {
            self.content = content
            self.subtasks = subtasks
        }

        package var levels: Int { 1 + (subtasks.map(\.levels).max() ?? 0) }
    }

    package struct Section: Equatable {
        /// nil for the tasks without a section, which always come first.
        package var id: SectionID?
        package var title: String
        package var tasks: [Node] = []

        package init(id: SectionID?, title: String, tasks: [Node] = []) {
            self.id = id
            self.title = title
            self.tasks = tasks
        }
    }

    /// A group of siblings: the top level of a section, or the subtasks of a task.
    package enum Siblings: Equatable {
        case top(SectionID?)
        case under(TaskID)
    }

    package var settings: ListSettings
    package var sections = [Section(id: nil, title: "")]
    /// Whether requests need room for tasks at once; not within a step.
    package var checksRoom = true

    package init(settings: ListSettings) { self.settings = settings }

    /// The model of a list, without the times of its tasks.
    package init(_ list: ReorderableList) {
        settings = list.settings
        sections += list.sections.map { Section(id: $0.id, title: $0.title) }
        let tasks = Array(list.tasks)
        /// Takes the tasks of one group of siblings, which begins at `index`.
        func siblings(at index: inout Int, depth: Int, _ section: SectionID?) -> [Node] {
            var nodes: [Node] = []
            while index < tasks.count, tasks[index].depth == depth,
                tasks[index].placement.section == section
            {
                var node = Node(content: tasks[index].content)
                node.content.stamps = TaskStamps()
                index += 1
                node.subtasks = siblings(at: &index, depth: depth + 1, section)
                nodes.append(node)
            }
            return nodes
        }
        var index = 0
        for section in sections.indices {
            sections[section].tasks = siblings(at: &index, depth: 0, sections[section].id)
        }
    }
}

// MARK: - Reading

extension ListModel {
    package var tasks: [ListTask] {
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

    package var rows: [ListTask] { tasks.filter { $0.placement.row != nil } }

    package func task(_ id: TaskID) -> ListTask? { tasks.first { $0.id == id } }

    package func has(section: SectionID?) -> Bool { sections.contains { $0.id == section } }

    package func siblings(of task: ListTask) -> Siblings {
        if let parent = task.placement.parent {
            .under(parent)
        } else {
            .top(task.placement.section)
        }
    }

    /// A top-level task with the id of its section.
    package struct TopLevelTask: Equatable {
        package var section: SectionID?
        package var task: TaskID
    }

    /// The first `count` top-level tasks, counted across the sections.
    package func topLevelTasks(first count: Int) -> [TopLevelTask] {
        let all = sections.flatMap { section in
            section.tasks.map { TopLevelTask(section: section.id, task: $0.content.id) }
        }
        return Array(all.prefix(max(0, count)))
    }

    package var lockedRows: [TopLevelTask] { topLevelTasks(first: settings.elementsOffset) }

    package func nodes(_ wanted: Siblings) -> [Node] {
        var found: [Node] = []
        var copy = self
        copy.forEachSiblings { siblings, nodes in
            if siblings == wanted { found = nodes }
        }
        return found
    }

    package func node(_ task: TaskID) -> Node? {
        var found: Node?
        var copy = self
        copy.forEachSiblings { _, nodes in
            found = found ?? nodes.first { $0.content.id == task }
        }
        return found
    }

    /// The task's id and those of its subtree.
    package func subtree(of task: TaskID) -> [TaskID] {
        func ids(_ node: Node) -> [TaskID] { [node.content.id] + node.subtasks.flatMap(ids) }
        return node(task).map(ids) ?? []
    }
}

// MARK: - Changes without checking rules

extension ListModel {
    /// Passes each array of siblings, parents before their children.
    package mutating func forEachSiblings(_ change: (Siblings, inout [Node]) -> Void) {
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

    package mutating func remove(_ task: TaskID) {
        forEachSiblings { _, nodes in nodes.removeAll { $0.content.id == task } }
    }

    package mutating func insert(_ new: [Node], at position: Int, among wanted: Siblings) {
        forEachSiblings { siblings, nodes in
            if siblings == wanted { nodes.insert(contentsOf: new, at: position) }
        }
    }

    package mutating func edit(_ task: TaskID, _ change: (inout TaskContent) -> Void) {
        forEachSiblings { _, nodes in
            for index in nodes.indices where nodes[index].content.id == task {
                change(&nodes[index].content)
            }
        }
    }
}
