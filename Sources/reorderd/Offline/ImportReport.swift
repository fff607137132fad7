import ReorderAPI
import ReorderImportExport
import ReorderJSON
import ReorderService

/// Prints what an import leaves out or refuses.
final class ImportReport {
    /// The number of lists that can't be imported.
    private(set) var refusals = 0

    func refuse(_ source: ImportSource, _ error: ImportError) {
        refusals += 1
        let pointer = error.pointer.flatMap { $0.isEmpty ? nil : "\($0): " } ?? ""
        add(pointer + error.reason, at: error.line, in: source)
        if !error.columns.isEmpty {
            let options = error.columns.map { ["--column", $0] }.joined()
            let words = (CommandLine.arguments + options).map(Self.quoted)
            StandardError.line("If this is right, repeat with: \(words.joined(separator: " "))")
        }
    }

    func refuse(
        _ source: ImportSource, _ refusal: ImportRefusal, _ offline: OfflineStore
    ) {
        let reason =
            switch refusal {
            case .listTwice(let id): "The list \"\(id)\" occurs twice."
            case .taskTwice(let id): "The task \"\(id)\" occurs in two lists."
            case .listExists(let id):
                "The list \"\(id)\" already exists. Use --replace to replace it."
            case .refused(let error, let id): "List \"\(id)\": \(text(of: error, offline))."
            }
        refuse(source, ImportError(reason: reason))
    }

    func skip(_ source: ImportSource) {
        add("left out: the file contains no tasks and no headings", at: nil, in: source)
    }

    func add(_ remark: ImportRemark, in source: ImportSource) {
        add("\(remark)", at: remark.lines.lowerBound, in: source)
    }

    private func add(_ text: String, at line: Int?, in source: ImportSource) {
        StandardError.line("\(source.name):\(line.map { "\($0):" } ?? "") \(text)")
    }

    /// A word for a shell.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { Identifier.isByte($0) || "/:=@%+,".utf8.contains($0) }
        return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }

    private func text(of error: ServiceError, _ offline: OfflineStore) -> String {
        guard case .taskTaken(let task) = error,
            let holder = try? offline.service.list(containing: task)
        else { return error.reason }
        return "the task \"\(task)\" already exists in the list \"\(holder)\""
    }
}
