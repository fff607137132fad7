import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postBatch(_ call: Call) throws -> Response {
        let form = try call.request.read { reader throws(JSONTypeError) in
            try BatchBody(from: &reader, makeID: makeID)
        }
        let keys = form.hasKeys ? form.keys : nil
        return try write(
            .batch(form.commands, isAtomic: form.isAtomic, once: keys),
            form.rowVersions.allSatisfy(\.areCurrent) ? [] : form.rowVersions,
            to: .list(call.request.parameter("id")), call, WriteRendering(tags, ops: form.ops))
    }
}
