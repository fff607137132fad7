import Foundation
import ReorderEngine
import ReorderJSON

/// A request for a page of tasks: of one list, or of all lists.
struct PageRequest {
    enum Place: Equatable {
        case all
        case section(SectionID?)
        /// The direct subtasks of a task; nil means the top level.
        case parent(TaskID?)
    }

    /// nil means all lists.
    var list: String?
    var place = Place.all
    var isDone: Bool?
    var title: String?
    var isVisibleOnly = false
    /// The list of folds.
    var folds: String?
    var limit = 3
    var cursor: String?
    /// The epoch, the version and the last task of the page before.
    var previous: (epoch: String, version: Int?, task: TaskID?)?

    var target: String {
        var parts = ["limit=\(limit)"]
        if let isDone { parts.append("done=\(isDone)") }
        if let title { parts.append("q=\(title)") }
        switch place {
        case .all: break
        case .section(let section): parts.append("section=\(section ?? "")")
        case .parent(let parent): parts.append("parent=\(parent ?? "")")
        }
        if isVisibleOnly { parts.append("visible=true") }
        if let folds { parts.append("folds=\(folds)") }
        if let cursor { parts.append("cursor=\(cursor)") }
        return (list.map { "/lists/\($0)" } ?? "") + "/tasks?" + parts.joined(separator: "&")
    }

    /// The tasks that match, in the order of the list.
    func matches(in list: ReorderableList) -> [ListTask] { list.tasks.filter(isMatch) }

    func isMatch(_ task: ListTask) -> Bool {
        let isInPlace =
            switch place {
            case .all: true
            case .section(let section): task.placement.section == section
            case .parent(nil): task.placement.parent == nil
            case .parent(let parent): task.placement.parent == parent
            }
        return isInPlace && (isDone == nil || task.content.done == isDone)
            && (title.map { task.content.title.lowercased().contains($0.lowercased()) } ?? true)
            && (!isVisibleOnly || task.placement.row != nil)
    }
}

/// A page of tasks as a client reads it.
struct TaskPageFacts {
    var list: String?
    var version: Int?
    var tasks: [(list: String?, id: TaskID)] = []
    var cursor: String?
    /// The text of the array of tasks.
    var text: String

    init?(_ body: [UInt8]) {
        guard let object = ParsedJSON.object(body), let tasks = object["tasks"] as? [[String: Any]]
        else { return nil }
        list = object["list"] as? String
        version = object["version"] as? Int
        cursor = object["cursor"] as? String
        for task in tasks {
            guard let id = task["id"] as? String else { return nil }
            self.tasks.append((task["list"] as? String, id))
        }
        let text = String(decoding: body, as: UTF8.self)
        guard let start = text.range(of: "\"tasks\":["),
            let end = text.range(of: "],\"cursor\":", options: .backwards)
        else { return nil }
        self.text = String(text[start.upperBound..<end.lowerBound])
    }
}
