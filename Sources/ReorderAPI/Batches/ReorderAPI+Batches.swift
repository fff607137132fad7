import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postBatch(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let form = try request.read { reader throws(JSONTypeError) in
            try BatchForm(from: &reader)
        }
        let ops = form.ops
        let keys =
            form.hasKeys
            ? OperationKeys(form.keys) { Self.resultBytes(of: $0, op: ops[$1]) } : nil
        try write(
            .batch(form.commands, isAtomic: form.isAtomic, once: keys),
            to: .list(request.parameter("id")), request, answer
        ) { .written($0, ops: ops) }
    }

    /// An op's result as it is kept for whoever sends the op again, maybe at another place in a batch.
    private static func resultBytes(
        of result: Result<CommandResult, ServiceError>, op: BatchForm.Op
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.batchResult(result, of: op, index: nil)
        return writer.bytes
    }
}
