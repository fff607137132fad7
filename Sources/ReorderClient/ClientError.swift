import ReorderEngine

/// Why a client can't do an operation.
public enum ClientError: Error, Sendable, Equatable {
    /// The list's rules refuse the operation, as the server would; nothing has changed.
    case refused(Refusal)
    /// An id, a title or data that the server would reject; the text says what is wrong.
    case invalid(String)
    /// The maximum of 10,000 operations is waiting to be sent.
    case queueFull
    /// The operation can't be stored on the device, for example because the disk is full; nothing
    /// has changed.
    case storage(String)
    /// The list is not on this device, and the server can't be reached.
    case unreachable
    /// The list does not exist on the server.
    case listNotFound
    /// The server rejected the credentials.
    case unauthorized
    /// The list was closed.
    case closed

    init(_ failure: Intent.Failure) {
        switch failure {
        case .refused(let refusal): self = .refused(refusal)
        case .dataTooLarge:
            self = .invalid(
                "After the merge, the data would be too large or nested too deeply.")
        }
    }
}
