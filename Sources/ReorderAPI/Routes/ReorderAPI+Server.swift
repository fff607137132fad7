import MicroHTTP
import ReorderService
import WebPage

extension ReorderAPI {
    /// Reports whether the process responds, even if the store does not work.
    func getHealth(_ request: Request) throws -> Job {
        .respond(.read(Array(#"{"status":"ok"}"#.utf8)))
    }

    /// Reports whether lists can be read: the store can be reached and read, and the server is not about
    /// to stop.
    func getReadiness(_ request: Request) throws -> Job {
        guard !isDraining else {
            throw Problem(.unavailable, "The server is about to stop.")
        }
        guard service.isReadable else {
            throw Problem(.unavailable, "The store can't be read.")
        }
        return try getHealth(request)
    }

    /// Reports whether lists can also be changed: the last commit succeeded.
    func getReadinessForWrites(_ request: Request) throws -> Job {
        let answer = try getReadiness(request)
        guard service.commitsSucceed else {
            throw Problem(.unavailable, "The last change could not be stored.")
        }
        return answer
    }

    /// Returns the contract that this program was built with.
    func getContract(_ request: Request) throws -> Job {
        .respond(Self.contract.form(for: request))
    }

    func getContractAsJSON(_ request: Request) throws -> Job {
        .respond(Self.contractAsJSON.form(for: request))
    }

    private static let contract = file(EmbeddedFiles.contract, "application/yaml")
    private static let contractAsJSON = file(EmbeddedFiles.contractAsJSON, "application/json")

    private static func file(_ bytes: [UInt8], _ type: String) -> CodedResponse {
        var hash = ContentHash()
        hash.add(bytes)
        let headers: HeaderFields = [
            "Content-Type": type, "ETag": "\"\(hash.hexadecimal)\"", "Cache-Control": "no-cache",
        ]
        return CodedResponse(Response(status: 200, headers: headers, body: bytes))
    }
}
