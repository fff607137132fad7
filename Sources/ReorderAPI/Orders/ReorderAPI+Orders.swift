import MicroHTTP
import ReorderJSON
import ReorderService

/// Changes of many tasks of a list, each as one change.
extension ReorderAPI {
    func postSort(_ request: Request) throws -> Job {
        let form = try request.read { reader throws(JSONTypeError) in
            try SortBody(from: &reader)
        }
        return try write(.order(form.scope, by: form.sorting), request)
    }

    func postReverse(_ request: Request) throws -> Job {
        let scope = try request.read { reader throws(JSONTypeError) in
            try ScopeBody(from: &reader).scope
        }
        return try write(.order(scope, by: nil), request)
    }

    func postRemoveDone(_ request: Request) throws -> Job {
        let scope = try request.read { reader throws(JSONTypeError) in
            try ScopeBody(from: &reader, hasLevels: false).scope
        }
        return try write(.removeDone(scope), request)
    }

    private func write(_ command: ListCommand, _ request: Request) throws -> Job {
        try write(
            .command(command), to: .list(request.parameter("id")), request,
            WriteRendering(tags, request))
    }
}
