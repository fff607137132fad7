import Foundation
import ReorderEngine

extension LiveList {
    /// Why there are no rows, in the user's language; nil if there are, or if they are still being fetched.
    var placeholder: String? {
        guard !isLoaded || phase == .notFound else { return nil }
        return switch phase {
        case .connecting, .online: nil
        case .offline: localized("The server can't be reached.")
        case .unauthorized: localized("You have to sign in.")
        case .notFound: localized("The list does not exist.")
        case .failed(let error): localized(error.localizedDescription)
        case .signedOut: localized("You have signed out.")
        }
    }
}
