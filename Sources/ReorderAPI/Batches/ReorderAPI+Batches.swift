import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postBatch(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let form = try request.read { reader throws(JSONTypeError) in
            try BatchForm(from: &reader)
        }
        write(
            WriteRequest(
                list: request.parameter("id"),
                action: .batch(form.commands, isAtomic: form.isAtomic),
                precondition: request.precondition, client: request.clientID),
            answer
        ) { .written($0) }
    }
}
