import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postBatch(_ request: Request) throws -> Job {
        let form = try request.read { reader throws(JSONTypeError) in
            try BatchBody(from: &reader, makeID: makeID)
        }
        return try write(
            .batch(form.batch),
            form.rowVersions.allSatisfy(\.areCurrent) ? [] : form.rowVersions,
            to: .list(request.parameter("id")), request,
            WriteRendering(tags, request, ops: form.ops))
    }
}
