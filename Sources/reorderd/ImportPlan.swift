import ReorderEngine
import ReorderService
import ReorderTransfer

/// What an import would do, found out before anything is written.
final class ImportPlan {
    private let replaces: Bool
    private var lists: Set<String> = []
    /// Only of documents that name their tasks: the others' ids are new.
    private var tasks: Set<TaskID> = []

    /// How many lists can't be taken.
    private(set) var refusals = 0

    init(replaces: Bool) {
        self.replaces = replaces
    }

    func refuse(_ source: ImportSource, _ error: TransferError) {
        refusals += 1
        let pointer = error.pointer.flatMap { $0.isEmpty ? nil : "\($0): " } ?? ""
        tell(pointer + error.reason, at: error.line, in: source)
    }

    func tell(_ leftOut: LeftOut, in source: ImportSource) {
        let (first, last) = (leftOut.lines.lowerBound, leftOut.lines.upperBound)
        let range = first == last ? "" : " to line \(last)"
        tell("left out: \(leftOut.what)\(range)", at: first, in: source)
    }

    private func tell(_ text: String, at line: Int?, in source: ImportSource) {
        StandardError.line("\(source.name):\(line.map { "\($0):" } ?? "") \(text)")
    }

    /// Makes sure that a list can be written, together with those before it.
    func check(
        _ list: ReorderableList, id: String, in source: ImportSource, _ offline: OfflineStore
    ) throws {
        guard lists.insert(id).inserted else {
            return refuse(source, TransferError(reason: "The list \"\(id)\" comes twice."))
        }
        if source.format == .json {
            for task in list.tasks where !tasks.insert(task.id).inserted {
                return refuse(
                    source,
                    TransferError(reason: "The task \"\(task.id)\" comes in two of the lists."))
            }
        }
        guard var request = try request(for: list, id: id, format: source.format, offline)
        else { return }
        if case .create = request.action, try offline.list(id) != nil {
            let reason = "There is a list \"\(id)\" already; --replace replaces it."
            return refuse(source, TransferError(reason: reason))
        }
        request.isDryRun = true
        if case .failure(let error) = offline.write(request) {
            refuse(source, TransferError(reason: "List \"\(id)\": \(text(of: error, offline))."))
        }
    }

    /// What writes the list; `nil` where it is there already as it is.
    func request(
        for list: ReorderableList, id: String, format: TransferFormat, _ offline: OfflineStore
    ) throws -> WriteRequest? {
        guard let current = try offline.list(id) else {
            return WriteRequest(list: id, action: .create(list))
        }
        if Self.isSame(current.list, list, in: format) { return nil }
        guard replaces else { return WriteRequest(list: id, action: .create(list)) }
        return WriteRequest(
            list: id, action: .put(list), precondition: .versions([SeenVersion(current.version)]))
    }

    /// Whether two lists are the same as far as a file can tell: those of a form without ids get new ids each
    /// time that they are read.
    private static func isSame(
        _ one: ReorderableList, _ other: ReorderableList, in format: TransferFormat
    ) -> Bool {
        guard format != .json else { return one == other }
        return format.write(one, id: "", version: 0) == format.write(other, id: "", version: 0)
    }

    private func text(of error: ServiceError, _ offline: OfflineStore) -> String {
        guard case .taskTaken(let task) = error,
            let holder = try? offline.service.list(holding: task)
        else { return error.reason }
        return "there is a task \"\(task)\" already, in the list \"\(holder)\""
    }
}
