import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderImportExport

/// Decides what an import writes, before anything is written.
final class ImportPlan {
    private let replaces: Bool
    private var lists: Set<String> = []
    /// The task ids of all lists.
    private var tasks: Set<TaskID> = []
    /// The lists that the store has with the same content, and the versions of those with another.
    private var unchanged: Set<String> = []
    private var replaced: [String: Int] = [:]

    /// Whether the files contain no list that can be imported.
    var isEmpty: Bool { lists.isEmpty }

    /// The number of lists that can't be imported.
    private(set) var refusals = 0

    init(replaces: Bool) {
        self.replaces = replaces
    }

    func refuse(_ source: ImportSource, _ error: ImportError) {
        refusals += 1
        let pointer = error.pointer.flatMap { $0.isEmpty ? nil : "\($0): " } ?? ""
        report(pointer + error.reason, at: error.line, in: source)
        if !error.columns.isEmpty {
            let options = error.columns.map { ["--column", $0] }.joined()
            let words = (CommandLine.arguments + options).map(Self.quoted)
            StandardError.line("If this is right, repeat with: \(words.joined(separator: " "))")
        }
    }

    /// A word for a shell.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { Identifier.isByte($0) || "/:=@%+,".utf8.contains($0) }
        return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }

    func skip(_ source: ImportSource) {
        report("left out: the file contains no tasks and no headings", at: nil, in: source)
    }

    func report(_ remark: ImportRemark, in source: ImportSource) {
        report("\(remark)", at: remark.lines.lowerBound, in: source)
    }

    private func report(_ text: String, at line: Int?, in source: ImportSource) {
        StandardError.line("\(source.name):\(line.map { "\($0):" } ?? "") \(text)")
    }

    /// Checks that a list can be written, together with the lists before it.
    func check(
        _ list: ReorderableList, id: String, in source: ImportSource, _ offline: OfflineStore
    ) throws {
        guard lists.insert(id).inserted else {
            return refuse(source, ImportError(reason: "The list \"\(id)\" occurs twice."))
        }
        for task in list.taskIDs where !tasks.insert(task).inserted {
            return refuse(
                source, ImportError(reason: "The task \"\(task)\" occurs in two lists."))
        }
        let current = try offline.list(id)
        if let current {
            if Self.isSame(current.list, list, in: source.format) {
                unchanged.insert(id)
                return
            }
            guard replaces else {
                let reason = "The list \"\(id)\" already exists. Use --replace to replace it."
                return refuse(source, ImportError(reason: reason))
            }
            replaced[id] = current.version
        }
        do throws(ServiceError) {
            try offline.service.check(list, of: id, replacing: current?.list)
        } catch {
            refuse(source, ImportError(reason: "List \"\(id)\": \(text(of: error, offline))."))
        }
    }

    /// The request that writes a list that was checked; nil if the store has the same list already.
    /// It fails if the list has changed since then.
    func request(for list: ReorderableList, id: String) -> WriteRequest? {
        if unchanged.contains(id) { return nil }
        guard let version = replaced[id] else {
            return WriteRequest(list: id, action: .create(list))
        }
        return WriteRequest(
            list: id, action: .put(list), precondition: .versions([SeenVersion(version)]))
    }

    /// Whether a store's list and one of a file have the same content in this format. For formats
    /// without ids, ids are not compared, because tasks can get new ids each time they are read.
    private static func isSame(
        _ one: ReorderableList, _ other: ReorderableList, in format: ListFileFormat
    ) -> Bool {
        guard format != .json else {
            var other = other
            other.completeStamps(replacing: one, nil)
            return one == other
        }
        switch format {
        case .markdown, .todoist:
            return format.write(one, id: "", version: 0)
                == format.write(other, id: "", version: 0)
        // Written files of the others have ids and times.
        default: return one.hasSameContent(as: other)
        }
    }

    private func text(of error: ServiceError, _ offline: OfflineStore) -> String {
        guard case .taskTaken(let task) = error,
            let holder = try? offline.service.list(containing: task)
        else { return error.reason }
        return "the task \"\(task)\" already exists in the list \"\(holder)\""
    }
}
