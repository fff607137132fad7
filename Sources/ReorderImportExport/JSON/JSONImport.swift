import ReorderEngine
import ReorderJSON

/// Reads a list document, with errors that contain their place in the file.
enum JSONImport {
    static func read(
        _ bytes: [UInt8], firstLine: Int, keepsAuthors: Bool, makeID: () -> String
    ) throws(ImportError) -> ImportedList {
        do {
            let text = try JSONText(checking: bytes, maximumDepth: FormLimits.nesting)
            var reader = JSONReader(text)
            var madeIDs: Set<String> = []
            let document = try ListDocument(from: &reader, keepsAuthors: keepsAuthors) {
                let id = makeID()
                madeIDs.insert(id)
                return id
            }
            return ImportedList(
                id: document.id, list: try document.makeList(), madeIDs: madeIDs)
        } catch let error as JSONError {
            let lines = bytes.prefix(error.offset).count { $0 == Byte.lineFeed }
            throw ImportError(
                line: firstLine + lines, pointer: error.pointer, reason: error.description)
        } catch let error as JSONTypeError {
            throw ImportError(
                line: firstLine, pointer: error.pointer, reason: error.description)
        } catch let error as ReorderableList.DocumentError {
            throw ImportError(error, line: firstLine)
        } catch {
            throw ImportError(line: firstLine, reason: "\(error)")
        }
    }
}

extension ImportError {
    fileprivate init(_ error: ReorderableList.DocumentError, line: Int) {
        let (pointer, reason) =
            switch error {
            case .duplicateSection(let index):
                ("/sections/\(index)/id", "An earlier section has the same id.")
            case .duplicateTask(let index):
                ("/tasks/\(index)/id", "An earlier task has the same id.")
            case .unknownSection(let index):
                ("/tasks/\(index)/section", "The list has no section with this id.")
            case .unknownParent(let index):
                ("/tasks/\(index)/parent", "No earlier task has this id.")
            case .sectionOfParentDiffers(let index):
                ("/tasks/\(index)/section", "A subtask must have the section of its parent.")
            case .tooDeep(let index):
                (
                    "/tasks/\(index)/parent",
                    "Tasks can be nested at most \(ReorderableList.maximumLevels) levels."
                )
            }
        self.init(line: line, pointer: pointer, reason: reason)
    }
}
