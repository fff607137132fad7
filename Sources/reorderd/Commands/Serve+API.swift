import ArgumentParser
import Foundation
import Logging
import PostgresStore
import ReorderAPI
import ReorderAuth
import ReorderService
import ReorderStore

/// What serves a store: opened at the start, and again if the store goes back to an earlier state.
extension Serve {
    func openService(
        _ logger: Logger, while goesOn: () -> Bool = { true }
    ) throws -> ListService {
        let opening = StoreOpening(
            location: store, options: postgres.options, migrates: postgres.migrate, logger: logger)
        let opened = try opening.open(while: goesOn)
        return ListService(
            store: opened,
            limits: ServiceLimits(
                tasksPerList: maxTasksPerList, cacheBytes: cacheBytes, history: history.history,
                bin: BinRetention(days: binDays)),
            logger: logger,
            onLost: { error in
                // An administrator has to repair the files before the server can start again.
                if case .refused(let reason) = error {
                    logger.critical("the store's file was replaced, so the server stops: \(reason)")
                    _exit(EX_CANTCREAT)
                }
                logger.critical(
                    "a sync failed, so the server stops; restart it to recover: \(error.reason)")
                _exit(EX_IOERR)
            })
    }

    /// Makes all servers of the store accept each other's tickets for event streams.
    func shareTicketSecret(
        _ control: AccessControl, _ service: ListService, _ logger: Logger
    ) {
        do {
            control.useTicketSecret(
                try service.sharedSecret(
                    "event-tickets", byteCount: AccessControl.ticketSecretBytes))
        } catch {
            logger.warning(
                "the secret of tickets for event streams can't be stored; they are valid on this server only",
                metadata: ["error": "\(error)"])
        }
    }

    /// Opens the store and its API. Waits until the store can be read.
    ///
    /// - Parameter former: the API whose place this one takes.
    /// - Throws: `ExitCode` if the store can't be used, `CancellationError` if `goesOn` returns false.
    func openAPI(
        _ control: AccessControl?, _ logger: Logger, inPlaceOf former: ReorderAPI? = nil,
        while goesOn: () -> Bool = { true }
    ) throws -> ReorderAPI {
        while goesOn() {
            let service = try openService(logger, while: goesOn)
            if let control { shareTicketSecret(control, service, logger) }
            service.tryCommit()
            let api = ReorderAPI(
                service: service, webhooks: try webhooks.open(service, logger),
                streamLimit: maxStreams, access: control,
                build: BuildInfo(version: Version.number, store: store.kind), inPlaceOf: former)
            do throws(StoreError) {
                // Accepts the tokens that were made over HTTP.
                try api.followTokens()
                return api
            } catch .unavailable(let reason) {
                // The database has gone away, or back, once more.
                logger.warning("\(store) can't be read; the next attempt follows: \(reason)")
                try? service.stop()
                Thread.sleep(forTimeInterval: 0.5)
            } catch {
                logger.critical("the store's tokens can't be read: \(error.reason)")
                throw ExitCode(EX_IOERR)
            }
        }
        throw CancellationError()
    }

    /// Opens the store again. Ends the process if it can't be used any more.
    func openAgain(
        inPlaceOf former: ReorderAPI, _ control: AccessControl?, _ logger: Logger,
        while goesOn: () -> Bool
    ) -> ReorderAPI? {
        do {
            let api = try openAPI(control, logger, inPlaceOf: former, while: goesOn)
            logger.notice(
                "this server serves the store again", metadata: ["epoch": "\(api.service.epoch)"])
            return api
        } catch let code as ExitCode {
            _exit(code.rawValue)
        } catch {
            return nil
        }
    }
}
