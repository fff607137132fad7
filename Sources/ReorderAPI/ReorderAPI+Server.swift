import MicroHTTP
import ReorderService

extension ReorderAPI {
    /// Whether the process answers at all; whether it can store something is another question.
    func getHealth(_ request: Request, _ answer: @escaping Answer) {
        answer(.success(.read(Array(#"{"status":"ok"}"#.utf8))))
    }

    /// Whether what is asked of lists can be done, as far as is known.
    func getReadiness(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        guard service.isReady else { throw Problem(reading: .unavailable) }
        getHealth(request, answer)
    }

    /// The contract that this very program was built with.
    func getContract(_ request: Request, _ answer: @escaping Answer) {
        answer(
            .success(
                Response(
                    status: 200,
                    headers: ["Content-Type": "application/yaml", "Cache-Control": "no-store"],
                    body: EmbeddedFiles.contract)))
    }
}
