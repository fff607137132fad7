import ReorderEngine

/// Why a client could not do what it was asked to.
public enum ClientError: Error, Sendable, Equatable {
    /// The list's rules say no; nothing has changed. The server would say the same.
    case refused(Refusal)
    /// An id, a title or data that the server would not take; the sentence says what is wrong.
    case invalid(String)
    /// 10,000 operations wait to be sent already.
    case queueFull
    /// The operation can't be kept on the device (the disk is full, or the file is in use); nothing
    /// has changed.
    case storage(String)
    /// The list is not on this device, and the server was not reached.
    case unreachable
    /// The server has no such list.
    case listNotFound
    /// The server wants other credentials.
    case unauthorized
    /// The list was closed.
    case closed

    init(_ failure: Intent.Failure) {
        switch failure {
        case .refused(let refusal): self = .refused(refusal)
        case .dataTooLarge:
            self = .invalid("Merged, the task's data would be too large or too deep.")
        }
    }
}
