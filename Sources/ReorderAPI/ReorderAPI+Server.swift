import MicroHTTP
import ReorderService

extension ReorderAPI {
    /// Reports whether the process responds, even if the store does not work.
    func getHealth(_ call: Call) throws -> Response {
        .read(Array(#"{"status":"ok"}"#.utf8))
    }

    /// Reports whether lists can be read and changed: the last commit succeeded, and the store is
    /// ready.
    func getReadiness(_ call: Call) throws -> Response {
        guard service.commitsSucceed else {
            throw Problem(.unavailable, "The last change could not be stored.")
        }
        guard service.isReady else { throw ServiceError.unavailable }
        return try getHealth(call)
    }

    /// Returns the contract that this program was built with.
    func getContract(_ call: Call) throws -> Response {
        call.request.fresh(Self.contract.response, tag: Self.contract.tag)
    }

    private static let contract: (response: Response, tag: String) = {
        var hash = ContentHash()
        hash.add(EmbeddedFiles.contract)
        let tag = hash.hexadecimal
        let headers: HeaderFields = [
            "Content-Type": "application/yaml", "ETag": "\"\(tag)\"", "Cache-Control": "no-cache",
        ]
        return (
            Response(status: 200, headers: headers, body: EmbeddedFiles.contract), tag
        )
    }()
}
