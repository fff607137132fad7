import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postSection(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let form = try request.read { reader throws(JSONTypeError) in
            try SectionForm(from: &reader, makeID: UUIDv7.make)
        }
        let list = request.parameter("id")
        try write(
            .command(.createSection(form.id, title: form.title, position: form.position)),
            to: .list(list), request, answer
        ) {
            .written(
                $0, status: 201, headers: ["Location": "/lists/\(list)/sections/\(form.id)"])
        }
    }

    func patchSection(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let form = try request.read { reader throws(JSONTypeError) in
            try SectionPatchForm(from: &reader)
        }
        let section = request.parameter("sid")
        try write(
            .command(.renameSection(section, title: form.title)),
            to: .list(request.parameter("id")), request, answer
        ) { .written($0) }
    }

    func deleteSection(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let tasks: ReorderableList.SectionTasks
        switch request.query["tasks"] {
        case nil: tasks = .keep
        case let text?:
            guard let value = ReorderableList.SectionTasks(rawValue: text) else {
                throw Problem(.invalidQuery, "The parameter tasks is \"keep\" or \"delete\".")
            }
            tasks = value
        }
        try write(
            .command(.deleteSection(request.parameter("sid"), tasks: tasks)),
            to: .list(request.parameter("id")), request, answer
        ) { .written($0) }
    }

    func postSectionMove(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let form = try request.read { reader throws(JSONTypeError) in
            try SectionMoveForm(from: &reader)
        }
        try write(
            .command(.moveSection(request.parameter("sid"), position: form.position)),
            to: .list(request.parameter("id")), request, answer
        ) { .written($0) }
    }
}
