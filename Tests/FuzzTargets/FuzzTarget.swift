/// What a fuzzer feeds with bytes, and a test with those that are kept.
///
/// Whatever the bytes are, the program must not end; what else must hold, each one checks.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The syntax of JSON: what is accepted can be read to the end, and written again as the same.
    case json
    /// What stores keep: a list's document and a change, read, written, read.
    case documents
    /// Requests to the whole API in process: each is answered, none with a failure of the server.
    case requests
    /// Bytes on a connection to a server: what comes back is answers.
    case connections
    /// What shows who a client is: nobody is granted what neither a file nor a key grants.
    case tokens
    /// What the operator writes of that: a file of tokens, a set of keys.
    case access

    /// - Returns: what does not hold; `nil` where all does.
    package func fault(in bytes: [UInt8]) -> String? {
        switch self {
        case .json: JSONRewriting.fault(in: bytes)
        case .documents: DocumentRewriting.fault(in: bytes)
        case .requests: RequestsInProcess.shared.fault(in: bytes)
        case .connections: BytesOnAConnection.shared.fault(in: bytes)
        case .tokens: SentTokens.shared.fault(in: bytes)
        case .access: AccessFiles.fault(in: bytes)
        }
    }

    /// Lets go of what is kept from one input to the next, once there is none.
    package func end() {
        if self == .requests { RequestsInProcess.shared.end() }
    }
}
