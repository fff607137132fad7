import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    /// Copies a list to a new list.
    func postListCopy(_ request: Request) throws -> Job {
        let isDryRun = try request.flag("dryRun")
        let given = try request.readIfGiven { reader throws(JSONTypeError) in
            try ListCopyBody(from: &reader)
        }
        let form = given ?? ListCopyBody()
        let id = try id(ofNewList: form.id, request)
        let source = request.parameter("id")
        return try write(
            .copy(CopyRequest(.list(title: form.title), makeIDs: makeIDs()), ofList: source),
            to: .copy(id, of: source), request,
            WriteRendering(
                tags, request, created: isDryRun ? nil : "/lists/\(id)", isDryRun: isDryRun))
    }

    /// Copies a task with its subtasks.
    func postTaskCopy(_ request: Request) throws -> Job {
        let isDryRun = try request.flag("dryRun")
        let given = try request.readIfGiven { reader throws(JSONTypeError) in
            try TaskCopyBody(from: &reader)
        }
        let form = given ?? TaskCopyBody()
        let (task, id) = (request.parameter("id"), form.id ?? makeID())
        let copy = CopyRequest(
            .task(task, at: form.destination, to: form.toList), makeIDs: makeIDs(first: id))
        return try write(
            .copy(copy, ofList: nil), to: .listContaining(task), request,
            WriteRendering(
                tags, request, created: isDryRun ? nil : "/tasks/\(id)", isDryRun: isDryRun,
                isToTask: true))
    }

    private func makeIDs(first: String? = nil) -> @Sendable () -> () -> TaskID {
        { [self] in
            var next = first
            return { next.take() ?? self.makeID() }
        }
    }
}

/// The body that copies a list.
struct ListCopyBody {
    private(set) var id: String?
    private(set) var title: String?

    init() {}

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": id = try reader.readIdentifier()
            case "title": title = try reader.readTitle()
            default: throw reader.unknownMember(allowed: ["id", "title"])
            }
        }
    }
}

/// The body that copies a task: the new id, and where the copy goes.
struct TaskCopyBody {
    private(set) var id: String?
    private(set) var toList: String?
    private var place = DestinationMembers()

    init() {}

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": id = try reader.readIdentifier()
            case "toList": toList = try reader.readReference()
            default:
                guard try place.read(name, from: &reader) else {
                    throw reader.unknownMember(
                        allowed: ["id", "toList"] + DestinationMembers.members)
                }
            }
        }
    }

    var destination: Destination { place.destination ?? Destination() }
}
