import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postSection(_ call: Call) throws -> Response {
        let form = try call.request.read { reader throws(JSONTypeError) in
            try SectionBody(from: &reader, makeID: makeID)
        }
        let list = call.request.parameter("id")
        return try write(
            .command(
                .createSection(
                    form.id, title: form.title, position: form.position, data: form.data)),
            to: .list(list), call,
            WriteRendering(tags, created: "/lists/\(list)/sections/\(form.id)"))
    }

    func patchSection(_ call: Call) throws -> Response {
        let form = try call.request.read { reader throws(JSONTypeError) in
            try SectionPatchBody(from: &reader)
        }
        let section = call.request.parameter("sid")
        return try write(
            .command(.updateSection(section, form.patch)),
            to: .list(call.request.parameter("id")), call, WriteRendering(tags))
    }

    func deleteSection(_ call: Call) throws -> Response {
        let tasks: ReorderableList.SectionTasks
        switch call.request.query["tasks"] {
        case nil: tasks = .keep
        case let text?:
            guard let value = ReorderableList.SectionTasks(rawValue: text) else {
                throw Problem(.invalidQuery, "The parameter tasks must be \"keep\" or \"delete\".")
            }
            tasks = value
        }
        return try write(
            .command(.deleteSection(call.request.parameter("sid"), tasks: tasks)),
            to: .list(call.request.parameter("id")), call, WriteRendering(tags))
    }

    func postSectionMove(_ call: Call) throws -> Response {
        let form = try call.request.read { reader throws(JSONTypeError) in
            try SectionMoveBody(from: &reader)
        }
        return try write(
            .command(.moveSection(call.request.parameter("sid"), position: form.position)),
            to: .list(call.request.parameter("id")), call, WriteRendering(tags))
    }
}
