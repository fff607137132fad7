import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postBatch(_ request: Request) throws -> Job {
        let form = try request.read { reader throws(JSONTypeError) in
            try BatchBody(from: &reader, makeID: makeID)
        }
        let keys = form.hasKeys ? form.keys : nil
        return try write(
            .batch(form.commands, isAtomic: form.isAtomic, once: keys),
            form.rowVersions.allSatisfy(\.areCurrent) ? [] : form.rowVersions,
            to: .list(request.parameter("id")), request,
            WriteRendering(tags, request, ops: form.ops))
    }
}
