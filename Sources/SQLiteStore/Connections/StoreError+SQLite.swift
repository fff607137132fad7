import GRDB
import ReorderStore

/// Converts an error of SQLite to a `StoreError`.
///
/// - Parameter place: the file, for the error's text.
func storeError(_ error: any Error, at place: String) -> StoreError {
    if let error = error as? StoreError { return error }
    guard let error = error as? DatabaseError else {
        return .unavailable(reason: "\(place): \(error)")
    }
    let reason = "\(place): SQLite error \(error.extendedResultCode.rawValue), \(error.meaning)"
    switch error.extendedResultCode {
    case .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC:
        return .lost(reason: reason)
    default:
        break
    }
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        return .corrupt(place: place, reason: reason)
    default:
        // FULL, BUSY, NOMEM, IOERR of a read or write, READONLY, CANTOPEN: all may be temporary.
        return .unavailable(reason: reason)
    }
}

/// Converts an error that occurs while a file is opened. Errors that a retry would not solve become
/// `refused`.
func openingError(_ error: any Error, at place: String) -> StoreError {
    guard let error = error as? DatabaseError else { return storeError(error, at: place) }
    switch error.resultCode {
    case .SQLITE_NOTADB:
        return .refused(reason: "\(place) is not an SQLite database")
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_BUSY:
        return .refused(reason: "\(place): \(error.meaning)")
    default:
        return storeError(error, at: place)
    }
}

extension DatabaseError {
    /// The error's text. While SQLite copies a database, its message is that of another call.
    var meaning: String {
        if let message, message != "not an error" { return message }
        switch resultCode {
        case .SQLITE_FULL: return "database or disk is full"
        case .SQLITE_IOERR: return "disk I/O error"
        default: return "no further description"
        }
    }
}
