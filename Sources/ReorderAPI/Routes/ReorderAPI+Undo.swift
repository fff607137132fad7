import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postUndo(_ request: Request) throws -> Job {
        let list = request.parameter("id")
        let version = try request.readIfGiven { reader throws(JSONTypeError) in
            try UndoBody(from: &reader).version
        }
        if let version { return try undo(version, of: list, request) }
        guard request.historyAfter > 0 else { return try undo(nil, of: list, request) }
        // The last change can be one that the link hides.
        return .wait(for: { [service] in service.position(of: list, $0) }) { [self] position in
            try undo(RequestedVersion(max(1, position.version)), of: list, request)
        }
    }

    /// - Parameter version: nil means the last change; only for clients that may see all changes.
    private func undo(
        _ version: RequestedVersion?, of list: String, _ request: Request
    ) throws -> Job {
        let number = version?.number(in: service.epoch) ?? .max
        guard number > request.historyAfter else { throw Problem.hiddenByLink }
        return try write(
            .undo(version: version), to: .list(list), request, WriteRendering(tags, request))
    }
}

/// The body of an undo: `{"version": 7}`, or with the epoch, `{"version": "7-0123456789ab"}`.
struct UndoBody {
    let version: RequestedVersion

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var version: RequestedVersion?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version":
                let read = try reader.readVersion()
                guard read.number > 0 else {
                    throw reader.invalid("The version must be 1 or more.")
                }
                version = read
            default: throw reader.unknownMember(allowed: ["version"])
            }
        }
        guard let version else { throw reader.missingMember("version") }
        self.version = version
    }
}

extension UndoConflict {
    /// The reason, as one sentence for people.
    var reason: String {
        switch self {
        case .taskGone(let id): "Task \"\(id)\" no longer exists."
        case .taskChanged(let id): "Task \"\(id)\" was changed later."
        case .taskHasSubtasks(let id): "Task \"\(id)\" has subtasks now."
        case .placeGone(let id):
            "The earlier parent or section of task \"\(id)\" no longer exists."
        case .taskExists(let id): "Task \"\(id)\" exists again."
        case .refused(let id, .locked):
            "Task \"\(id)\" is locked, or the undo would displace a locked row."
        case .refused(let id, .notSiblings):
            "In this list, task \"\(id)\" can only be moved among its siblings."
        case .refused(let id, .depthLimit):
            "The undo would nest task \"\(id)\" too deep."
        case .refused(let id, _):
            "The earlier parent of task \"\(id)\" is now in the task's own subtree."
        case .sectionGone(let id): "Section \"\(id)\" no longer exists."
        case .sectionChanged(let id): "Section \"\(id)\" was renamed later."
        case .sectionHasTasks(let id): "Section \"\(id)\" has tasks now."
        case .sectionExists(let id): "Section \"\(id)\" exists again."
        case .sectionLocked(let id):
            "Moving section \"\(id)\" back would displace a locked row."
        case .settingsChanged: "The list's settings were changed later."
        case .replaced: "A change that creates or replaces a whole list can't be undone."
        case .tooLarge(let limit):
            "The change can't be undone because it has more than \(limit) operations."
        case .interrupted: "The undo was interrupted because the server is stopping."
        }
    }
}
