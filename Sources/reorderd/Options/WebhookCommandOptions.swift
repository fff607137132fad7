import ArgumentParser
import Foundation
import Logging
import ReorderService
import ReorderWebhooks
import WebhookSockets

/// The options for the receivers of webhooks.
struct WebhookCommandOptions: ParsableArguments {
    @Flag(
        help: """
            Send webhooks to loopback, private and other addresses that are not public, too. Then \
            whoever may create webhooks can make the server send requests into its own network.
            """)
    var webhookAllowPrivate = false

    @Flag(help: "Accept webhooks with http:// URLs. Their content is not encrypted.")
    var webhookAllowHttp = false

    /// Makes what delivers the changes; `start` begins with it.
    func open(_ service: ListService, _ logger: Logger) throws -> Webhooks {
        let options = WebhookOptions(
            allowsPrivate: webhookAllowPrivate, allowsHTTP: webhookAllowHttp)
        do throws(CurlTransport.StartError) {
            return Webhooks(
                service, options: options, transport: try CurlTransport(options), logger: logger)
        } catch {
            logger.critical("webhooks can't be sent: \(error.reason)")
            throw ExitCode(EX_UNAVAILABLE)
        }
    }
}
