import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postSection(_ request: Request) throws -> Job {
        let form = try request.read { reader throws(JSONTypeError) in
            try SectionBody(from: &reader, makeID: makeID)
        }
        let list = request.parameter("id")
        return try write(
            .command(
                .createSection(
                    form.id, title: form.title, position: form.position, data: form.data,
                    maxTasks: form.maxTasks)),
            to: .list(list), request,
            WriteRendering(tags, request, created: "/lists/\(list)/sections/\(form.id)"))
    }

    func patchSection(_ request: Request) throws -> Job {
        let form = try request.read { reader throws(JSONTypeError) in
            try SectionPatchBody(from: &reader)
        }
        let section = request.parameter("sid")
        return try write(
            .command(.updateSection(section, form.patch)),
            to: .list(request.parameter("id")), request, WriteRendering(tags, request))
    }

    func deleteSection(_ request: Request) throws -> Job {
        let tasks: ReorderableList.SectionTasks
        switch request.query["tasks"] {
        case nil: tasks = .keep
        case let text?:
            guard let value = ReorderableList.SectionTasks(rawValue: text) else {
                throw Problem(.invalidQuery, "The parameter tasks must be \"keep\" or \"delete\".")
            }
            tasks = value
        }
        return try write(
            .command(.deleteSection(request.parameter("sid"), tasks: tasks)),
            to: .list(request.parameter("id")), request, WriteRendering(tags, request))
    }

    func postSectionMove(_ request: Request) throws -> Job {
        let form = try request.read { reader throws(JSONTypeError) in
            try SectionMoveBody(from: &reader)
        }
        let section = request.parameter("sid")
        let action: WriteRequest.Action =
            switch form.place {
            case .here(let position): .command(.moveSection(section, position: position))
            case .list(let list, let position, let isUndo):
                .transferSection(section, to: list, position: position, isUndo: isUndo)
            }
        return try write(
            action, to: .list(request.parameter("id")), request, WriteRendering(tags, request))
    }
}
