import ArgumentParser
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

    /// Starts the delivery.
    func start(_ service: ListService, _ logger: Logger) throws -> Webhooks {
        let options = WebhookOptions(
            allowsPrivate: webhookAllowPrivate, allowsHTTP: webhookAllowHttp)
        let webhooks = Webhooks(
            service, options: options, transport: try CurlTransport(options), logger: logger)
        webhooks.start()
        return webhooks
    }
}
