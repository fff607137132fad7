import ReorderEngine

// Lists as outlines: `a! b+(b1 b2(b21)) #s1 c` is the locked task a and the collapsed b with its
// subtasks, both without a section, and then the section s1 with c. Titles equal the ids.

extension ReorderableList {
    /// Creates the list of an outline.
    init(
        _ outline: String, elementsOffset: Int = 0, collapseSubElements: Bool = false,
        moves: MovePolicy = .anywhere
    ) throws {
        let settings = ListSettings(
            title: "list", elementsOffset: elementsOffset,
            collapseSubElements: collapseSubElements, moves: moves)
        var sections: [(id: SectionID, title: String)] = []
        var entries: [Entry] = []
        var ancestors: [TaskID] = []
        for token in Outline.tokens(outline) {
            switch token {
            case "(": entries.last.map { ancestors.append($0.content.id) }
            case ")": ancestors.removeLast()
            case let section where section.hasPrefix("#"):
                sections.append((String(section.dropFirst()), String(section.dropFirst())))
            default:
                entries.append(
                    Entry(
                        content: Outline.content(token), section: sections.last?.id,
                        parent: ancestors.last))
            }
        }
        try self.init(settings: settings, sections: sections, tasks: entries)
    }

    /// The outline of the list.
    var outline: String {
        var outline = Outline.text(of: tasks.prefix { $0.placement.section == nil })
        for section in sections {
            let tasks = tasks.filter { $0.placement.section == section.id }
            outline += " #\(section.id) " + Outline.text(of: tasks)
        }
        return outline.split(separator: " ").joined(separator: " ")
    }
}

enum Outline {
    /// A chain of tasks, each the parent of the next: `a0(a1(a2))` for three levels.
    static func chain(_ name: String, levels: Int) -> String {
        (0..<levels).reversed().reduce("") { beneath, level in
            "\(name)\(level)" + (beneath.isEmpty ? "" : "(\(beneath))")
        }
    }

    fileprivate static func tokens(_ outline: String) -> [String] {
        var tokens: [String] = []
        var word = ""
        for character in outline + " " {
            if " \n()".contains(character) {
                if !word.isEmpty { tokens.append(word) }
                word = ""
                if "()".contains(character) { tokens.append(String(character)) }
            } else {
                word.append(character)
            }
        }
        return tokens
    }

    fileprivate static func content(_ token: String) -> TaskContent {
        let id = token.filter { !"+!".contains($0) }
        return TaskContent(
            id: id, title: id, collapsed: token.contains("+"), locked: token.contains("!"))
    }

    /// Tasks in order, each parent before its children.
    static func text(
        of tasks: some Sequence<ListTask>, _ label: (ListTask) -> String = Self.label
    ) -> String {
        var text = ""
        var depth = 0
        for task in tasks {
            if task.depth > depth {
                text += "("
            } else {
                text += String(repeating: ")", count: depth - task.depth)
                text += text.isEmpty ? "" : " "
            }
            text += label(task)
            depth = task.depth
        }
        return text + String(repeating: ")", count: depth)
    }

    private static func label(_ task: ListTask) -> String {
        task.id + (task.content.collapsed ? "+" : "") + (task.content.locked ? "!" : "")
    }
}
