import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    /// Copies a list to a new list.
    func postListCopy(_ request: Request) throws -> Job {
        let isDryRun = try request.flag("dryRun")
        let form = try request.read(isOptional: true) { reader throws(JSONTypeError) in
            try ListCopyBody(from: &reader)
        }
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
        let form = try request.read(isOptional: true) { reader throws(JSONTypeError) in
            try TaskCopyBody(from: &reader)
        }
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
    private(set) var destination = Destination()

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var place = DestinationForm()
        try reader.readObject(
            allowed: ["id", "toList"] + DestinationForm.members
        ) { name, reader throws(JSONTypeError) in
            switch name {
            case "id": id = try reader.readIdentifier()
            case "toList": toList = try reader.readReference()
            default: return try place.read(name, from: &reader, hasRows: false)
            }
            return true
        }
        destination = try place.destination(reader) ?? Destination()
    }
}
