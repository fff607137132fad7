import ReorderEngine
import ReorderJSON

/// Reads a list document with errors that say where in a file they are.
enum JSONImport {
    static func read(
        _ bytes: [UInt8], firstLine: Int, makeID: () -> String
    ) throws(TransferError) -> ImportedList {
        do {
            let text = try JSONText(checking: bytes, maximumDepth: FormLimits.nesting)
            var reader = JSONReader(text)
            let document = try ListDocument(from: &reader, makeID: makeID)
            return ImportedList(
                id: document.id, list: try document.makeList(), leftOut: [],
                isExport: document.hasVersion)
        } catch let error as JSONError {
            let lines = bytes.prefix(error.offset).count { $0 == Byte.lineFeed }
            throw TransferError(
                line: firstLine + lines, pointer: error.pointer, reason: error.description)
        } catch let error as JSONTypeError {
            throw TransferError(
                line: firstLine, pointer: error.pointer, reason: error.description)
        } catch let error as ReorderableList.DocumentError {
            throw TransferError(error, line: firstLine)
        } catch {
            throw TransferError(line: firstLine, reason: "\(error)")
        }
    }
}

extension TransferError {
    fileprivate init(_ error: ReorderableList.DocumentError, line: Int) {
        let (pointer, reason) =
            switch error {
            case .duplicateSection(let index):
                ("/sections/\(index)/id", "A section before this one has the same id.")
            case .duplicateTask(let index):
                ("/tasks/\(index)/id", "A task before this one has the same id.")
            case .unknownSection(let index):
                ("/tasks/\(index)/section", "The list has no section of this id.")
            case .unknownParent(let index):
                ("/tasks/\(index)/parent", "No task before this one has this id.")
            case .sectionOfParentDiffers(let index):
                ("/tasks/\(index)/section", "A subtask's section is that of its parent.")
            case .tooDeep(let index):
                (
                    "/tasks/\(index)/parent",
                    "Tasks nest at most \(ReorderableList.maximumLevels) levels."
                )
            }
        self.init(line: line, pointer: pointer, reason: reason)
    }
}
