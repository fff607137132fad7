import Foundation
import ReorderClient

/// A command-line client: it shows and changes a list, also without a network.
@main
struct Reorder {
    static let usage = """
        reorder SERVER LIST                          shows the list
        reorder SERVER LIST add TITLE                adds a task at the end
        reorder SERVER LIST move ROW ROW             moves a task so that it is at the other row
        reorder SERVER LIST into ROW ROW             makes a task a subtask of another one
        reorder SERVER LIST done|open|fold|unfold|delete ROW
        reorder SERVER LIST watch                    shows the list after each change

        Rows are numbers from 1. REORDER_FOLDER is the folder of the lists, REORDER_TOKEN the token.
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2, let server = URL(string: arguments[0]) else { exit(usage) }
        let environment = ProcessInfo.processInfo.environment
        let folder = environment["REORDER_FOLDER"].map { URL(filePath: $0) }
        let token = environment["REORDER_TOKEN"]
        let client = ReorderClient(
            server: server,
            storage: folder ?? .homeDirectory.appending(path: ".reorder/\(server.host() ?? "")"),
            token: { token })
        do {
            let list = try await client.list(arguments[1])
            if arguments.dropFirst(2) == ["watch"] {
                for await list in list.snapshots { show(list) }
            }
            try change(list, arguments.dropFirst(2).map { $0 })
            await list.refreshNow()
            show(list.snapshot)
            for refused in list.unacknowledgedRefusals { print("refused: \(refused.detail)") }
            list.acknowledge(list.unacknowledgedRefusals)
            if list.waitingCount > 0 {
                print("\(list.waitingCount) changes wait to be sent")
            } else if list.phase != .online {
                print("The server can't be reached: others may have changed the list")
            }
        } catch {
            exit(error.localizedDescription)
        }
    }

    static func change(_ list: SyncedList, _ words: [String]) throws {
        let rows = words.dropFirst().compactMap { Int($0) }
        let tasks = rows.compactMap { list.snapshot.task(atRow: $0 - 1)?.id }
        switch (words.first, tasks.count) {
        case (nil, _): break
        case ("add", _): try list.create(words.dropFirst().joined(separator: " "))
        case ("move", 2):
            try list.move([tasks[0]], to: Destination(row: rows[1] - 1))
        case ("into", 2): try list.move([tasks[0]], to: .inside(tasks[1]))
        case ("done", 1): try list.update(tasks[0], TaskChanges(done: true))
        case ("open", 1): try list.update(tasks[0], TaskChanges(done: false))
        case ("fold", 1): try list.collapse(tasks[0])
        case ("unfold", 1): try list.collapse(tasks[0], false)
        case ("delete", 1): try list.delete(tasks[0])
        default: exit(usage)
        }
    }

    static func show(_ list: ReorderableList) {
        print(list.settings.title)
        for (index, task) in list.tasks(fromRow: 0, limit: list.rowCount).enumerated() {
            let indent = String(repeating: "  ", count: task.depth)
            print(
                "\(index + 1)\t\(indent)\(task.content.done ? "[x]" : "[ ]") \(task.content.title)")
        }
    }

    static func exit(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        Foundation.exit(1)
    }
}
