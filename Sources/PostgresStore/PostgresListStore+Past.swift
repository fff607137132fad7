import Foundation
import ReorderStore

extension PostgresListStore {
    package func whenRewound(_ body: @escaping @Sendable (StoreRewind) -> Void) {
        server.whenLost { [url, options, isClosed] loss in
            // No other server must write in the former epoch from now on. An epoch that has not followed
            // it is the one of a restored database.
            var reason = loss.reason
            while !isClosed.isSet {
                do throws(StoreError) {
                    let begins = try Self.beginEpoch(after: loss, url, options)
                    if begins != loss.isLost {
                        reason +=
                            begins
                            ? ", which did not follow it; so this server begins another one"
                            : "; another server has begun a new epoch"
                    }
                    break
                } catch {
                    Thread.sleep(forTimeInterval: Self.pauseSeconds)
                }
            }
            if !isClosed.isSet { body(StoreRewind(reason: reason)) }
        }
    }

    private static let pauseSeconds = 0.25

    /// - Returns: false if the store's epoch has followed the one that this server knows.
    private static func beginEpoch(
        after loss: PastLoss, _ url: String, _ options: Options
    ) throws(StoreError) -> Bool {
        let server = try server(url, options, { _ in })
        defer { server.close() }
        do throws(PostgresError) {
            return try PostgresSchema.beginEpoch(
                StoreEpoch.makeName(), after: loss.epoch, try server.connect())
        } catch {
            throw error.storeError
        }
    }
}
