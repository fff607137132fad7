import MicroHTTP
import ReorderEngine
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
        try write(.order(try request.scope(), by: nil), request)
    }

    func postRemoveDone(_ request: Request) throws -> Job {
        try write(.removeDone(try request.scope(hasLevels: false)), request)
    }

    private func write(_ action: WriteRequest.Action, _ request: Request) throws -> Job {
        try write(
            action, to: .list(request.parameter("id")), request,
            WriteRendering(tags, request, isDryRun: try request.flag("dryRun")))
    }
}

extension Request {
    /// The scope in the body; without a body, the top level of the whole list.
    fileprivate func scope(hasLevels: Bool = true) throws(Problem) -> TaskScope {
        try read(isOptional: true) { reader throws(JSONTypeError) in
            try ScopeBody(from: &reader, hasLevels: hasLevels).scope
        }
    }
}
