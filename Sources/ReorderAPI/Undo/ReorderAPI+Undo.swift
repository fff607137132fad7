import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postUndo(_ call: Call) throws -> Response {
        let version = try call.request.read { reader throws(JSONTypeError) in
            try UndoForm(from: &reader).version
        }
        do {
            return try write(
                .undo(version: version), to: .list(call.request.parameter("id")), call,
                WriteRendering(tags))
        } catch let error as ServiceError {
            guard case .historyGone = error else { throw error }
            throw Problem(error).undoing(version)
        }
    }
}

/// The body of an undo: `{"version": 7}`.
struct UndoForm {
    let version: Int

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var version: Int?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version":
                let number = try reader.readCount()
                guard number > 0 else { throw reader.invalid("A change's version is 1 or more.") }
                version = number
            default: throw reader.unknownMember()
            }
        }
        guard let version else { throw reader.missingMember("version") }
        self.version = version
    }
}

extension Problem {
    /// Tells a version that the list never had from one whose history is no longer kept.
    fileprivate func undoing(_ version: Int) -> Problem {
        guard code == .historyGone, let current = self.version, version > current else {
            return self
        }
        var problem = self
        problem.detail = "The list has no version \(version): it is at version \(current)."
        return problem
    }
}

extension UndoConflict {
    /// One sentence for a person.
    var reason: String {
        switch self {
        case .taskGone(let id): "The task \"\(id)\" is gone."
        case .taskChanged(let id): "The task \"\(id)\" was changed since."
        case .taskHasSubtasks(let id): "The task \"\(id)\" has subtasks by now."
        case .placeGone(let id): "Where the task \"\(id)\" stood is gone."
        case .taskExists(let id): "There is a task \"\(id)\" again."
        case .refused(let id, .locked):
            "The task \"\(id)\" is locked, or would displace a locked row."
        case .refused(let id, .notSiblings):
            "The task \"\(id)\" may move among its siblings only."
        case .refused(let id, .depthLimit): "The task \"\(id)\" would stand too deep."
        case .refused(let id, _): "Where the task \"\(id)\" stood is beneath it now."
        case .sectionGone(let id): "The section \"\(id)\" is gone."
        case .sectionChanged(let id): "The section \"\(id)\" was renamed since."
        case .sectionHasTasks(let id): "The section \"\(id)\" has tasks by now."
        case .sectionExists(let id): "There is a section \"\(id)\" again."
        case .sectionLocked(let id): "The section \"\(id)\" would displace a locked row."
        case .settingsChanged: "The list's settings were changed since."
        case .replaced: "The change made the list, or replaced it as a whole."
        case .tooLarge(let limit):
            "The change has more than \(limit) operations, so it can't be undone."
        case .interrupted: "The undo was stopped."
        }
    }
}
