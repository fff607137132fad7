import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderWebhooks

extension ReorderAPI {
    /// Creates a webhook. Only this response has the secret.
    func postWebhook(_ request: Request) throws -> Job {
        let form = try request.read { [webhooks] reader throws(JSONTypeError) in
            try WebhookBody(from: &reader, allowsHTTP: webhooks.options.allowsHTTP)
        }
        let allowed = request.administeredLists
        let lists = form.lists ?? allowed.patterns ?? ["*"]
        guard let selection = ListPatterns(lists), allowed.includes(selection) else {
            throw Problem(forbiddenList: lists.joined(separator: ", "))
        }
        let (id, author) = (makeID(), request.tokenAccess?.author)
        return .work(.small) { [self] in
            let webhook = try changing {
                try webhooks.create(
                    id: id, url: form.url, lists: lists, secret: form.secret, by: author,
                    within: allowed)
            }
            var writer = JSONWriter()
            writer.webhook(webhook, withSecret: true)
            return .respond(
                .json(
                    status: 201,
                    headers: ["Location": "/webhooks/\(id)", "Cache-Control": "no-store"],
                    writer.bytes))
        }
    }

    func getWebhooks(_ request: Request) throws -> Job {
        let allowed = request.administeredLists
        return .work(.small) { [self] in
            let all = try changing { try webhooks.all(of: allowed) }
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("webhooks")
            writer.beginArray()
            for webhook in all { writer.webhook(webhook) }
            writer.endArray()
            writer.endObject()
            return .respond(.read(writer.bytes))
        }
    }

    func getWebhook(_ request: Request) throws -> Job {
        let (id, allowed) = (request.parameter("id"), request.administeredLists)
        return .work(.small) { [self] in
            .respond(.webhook(try changing { try webhooks.webhook(id, of: allowed) }))
        }
    }

    func deleteWebhook(_ request: Request) throws -> Job {
        let (id, allowed) = (request.parameter("id"), request.administeredLists)
        return .work(.small) { [self] in
            try changing { try webhooks.delete(id, of: allowed) }
            return .respond(Response(status: 204))
        }
    }

    /// Enables a webhook that failures have disabled.
    func postWebhookResume(_ request: Request) throws -> Job {
        try request.checkEmptyBody()
        let (id, allowed) = (request.parameter("id"), request.administeredLists)
        return .work(.small) { [self] in
            .respond(.webhook(try changing { try webhooks.resume(id, of: allowed) }))
        }
    }

    /// Converts the errors of the webhooks.
    private func changing<Value>(_ body: () throws -> Value) throws(Problem) -> Value {
        do {
            return try body()
        } catch Webhooks.ChangeError.notFound {
            throw Problem(.webhookNotFound, "No webhook has this id.")
        } catch Webhooks.ChangeError.tooMany(let limit) {
            throw Problem(
                .webhookLimit, "There are already \(limit) webhooks, which is the maximum.")
        } catch {
            throw Problem(service.storeFailure(error))
        }
    }
}

extension Response {
    fileprivate static func webhook(_ webhook: Webhook) -> Response {
        var writer = JSONWriter()
        writer.webhook(webhook)
        return .read(writer.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func webhook(_ webhook: Webhook, withSecret: Bool = false) {
        let progress = webhook.progress
        beginObject()
        name("id")
        string(webhook.id)
        name("url")
        string(webhook.url)
        name("lists")
        beginArray()
        for pattern in webhook.lists { string(pattern) }
        endArray()
        if withSecret {
            name("secret")
            string(webhook.secret.text)
        }
        name("createdAt")
        time(milliseconds: webhook.createdAt)
        name("createdBy")
        stringOrNull(webhook.createdBy)
        name("status")
        string(progress.isEnabled ? "active" : "disabled")
        name("position")
        int(progress.position)
        name("delivered")
        int(progress.delivered)
        name("failed")
        int(progress.failed)
        name("failedAttempts")
        int(progress.failedAttempts)
        name("failingSince")
        timeOrNull(progress.failingSince)
        name("results")
        beginArray()
        for result in progress.results { self.result(result) }
        endArray()
        endObject()
    }

    private mutating func result(_ result: Webhook.Result) {
        beginObject()
        name("event")
        string(result.event)
        name("at")
        time(milliseconds: result.at)
        name("status")
        if let status = result.status { int(status) } else { null() }
        name("error")
        stringOrNull(result.error)
        endObject()
    }

    private mutating func timeOrNull(_ time: Int64?) {
        if let time { self.time(milliseconds: time) } else { null() }
    }
}
