import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postBatch(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let form = try request.read { reader throws(JSONTypeError) in
            try BatchForm(from: &reader)
        }
        let keys = form.hasKeys ? OperationKeys(form.keys, render: Self.resultBytes) : nil
        try write(
            .batch(form.commands, isAtomic: form.isAtomic, once: keys),
            to: .list(request.parameter("id")), request, answer
        ) { .written($0) }
    }

    /// An op's result as it is kept for whoever sends the op again, maybe at another place in a batch.
    private static func resultBytes(of result: Result<CommandResult, ServiceError>) -> [UInt8] {
        var writer = JSONWriter()
        writer.batchResult(result, index: nil)
        return writer.bytes
    }
}
