import Foundation
import ReorderEngine
import ReorderJSON

extension ReorderStore {
    /// A store without a server and files, for previews and tests. Changes are final at once. What needs a server, such as
    /// ``createList(_:id:)`` and ``search(_:filters:order:)``, throws `unreachable`.
    ///
    /// ```swift
    /// #Preview {
    ///     ListScreen(list: ReorderStore.inMemory(["groceries": """
    ///         # Groceries
    ///         - Apples
    ///           - Red ones
    ///         ## Bakery
    ///         - [x] Bread
    ///         """]).list("groceries"))
    /// }
    /// ```
    ///
    /// - Parameter lists: the lists by their ids, in Markdown: a heading `#` with the list's title, `##` for each section, and tasks as
    ///   list items, with two spaces for each level. The ids of tasks and sections are their titles, with a number if there are several.
    ///   The store's ``lists`` are these lists by their ids.
    public static func inMemory(_ lists: [String: String]) -> ReorderStore {
        let lists = lists.mapValues { Outline($0).list }
        let index = ["index": index(of: lists)].merging(lists) { $1 }
        return ReorderStore(client: ReorderClient(memory: LocalLists(index)))
    }

    private static func index(of lists: [String: ReorderableList]) -> ReorderableList {
        var index = ReorderableList(settings: ListSettings(title: "Lists"))
        for (id, list) in lists.sorted(by: { $0.key < $1.key }) {
            let data = JSONWriter.object { $0.member("list", id) }
            let title = list.settings.title
            _ = try? index.create(
                TaskContent(
                    id: id, title: title.isEmpty ? id : title,
                    data: String(decoding: data, as: UTF8.self)),
                at: .end(of: nil))
        }
        return index
    }
}

/// A list as text.
private struct Outline {
    private(set) var list: ReorderableList
    private var ids: Set<String> = []

    init(_ text: String) {
        list = ReorderableList(settings: ListSettings(title: ""))
        var section: SectionID?
        var parents: [TaskID] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let spaces = line.prefix { $0 == " " }.count
            var title = line.dropFirst(spaces)
            if title.isEmpty { continue }
            if title.hasPrefix("# ") {
                _ = list.update(SettingsUpdate(title: String(title.dropFirst(2))))
            } else if title.hasPrefix("## ") {
                let name = String(title.dropFirst(3))
                let id = newID(name)
                section = id
                parents = []
                _ = try? list.createSection(id, title: name, position: nil, data: nil)
            } else {
                if title.hasPrefix("- ") { title = title.dropFirst(2) }
                let isDone = title.hasPrefix("[x] ")
                if isDone || title.hasPrefix("[ ] ") { title = title.dropFirst(4) }
                let level = min(spaces / 2, parents.count)
                parents.removeLast(parents.count - level)
                let id = newID(String(title))
                let place =
                    parents.last.map { Destination.inside($0) } ?? .end(of: section)
                _ = try? list.create(
                    TaskContent(id: id, title: String(title), done: isDone), at: place)
                parents.append(id)
            }
        }
    }

    private mutating func newID(_ title: String) -> String {
        var id = title
        var number = 1
        while !ids.insert(id).inserted {
            number += 1
            id = "\(title) \(number)"
        }
        return id
    }
}
