import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderWebhooks

extension ReorderAPI {
    /// Creates a webhook. Only this response has the secret.
    func postWebhook(_ request: Request) throws -> Job {
        let (form, url) = try request.read { [webhooks] reader throws(JSONTypeError) in
            let form = try WebhookBody(
                from: &reader, ["url", "lists", "secret"],
                allowsHTTP: webhooks.options.allowsHTTP)
            guard let url = form.url else { throw reader.missingMember("url") }
            return (form, url)
        }
        let allowed = request.administeredLists
        let lists = form.lists ?? allowed.patterns ?? ["*"]
        try allowed.check(lists)
        let (id, author) = (makeID(), request.tokenAccess?.author)
        return .work(.small) { [self] in
            let webhook = try changing {
                try webhooks.create(
                    id: id, url: url, lists: lists, secret: form.secret ?? WebhookSecret(),
                    by: author,
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

    func patchWebhook(_ request: Request) throws -> Job {
        let form = try request.read { [webhooks] reader throws(JSONTypeError) in
            try WebhookBody(
                from: &reader, ["url", "lists"], allowsHTTP: webhooks.options.allowsHTTP)
        }
        let (id, allowed) = (request.parameter("id"), request.administeredLists)
        if let lists = form.lists { try allowed.check(lists) }
        return .work(.small) { [self] in
            .respond(
                .webhook(
                    try changing {
                        try webhooks.update(id, url: form.url, lists: form.lists, of: allowed)
                    }))
        }
    }

    /// Gives a webhook a new secret. Only this response has it.
    func postWebhookSecret(_ request: Request) throws -> Job {
        let form = try request.read(isOptional: true) { reader throws(JSONTypeError) in
            try WebhookBody(from: &reader, ["secret"])
        }
        let secret = form.secret ?? WebhookSecret()
        let (id, allowed) = (request.parameter("id"), request.administeredLists)
        return .work(.small) { [self] in
            let webhook = try changing { try webhooks.rotate(id, to: secret, of: allowed) }
            var writer = JSONWriter()
            writer.webhook(webhook, withSecret: true)
            return .respond(.json(headers: ["Cache-Control": "no-store"], writer.bytes))
        }
    }

    /// Sends a test event, and responds with its result.
    func postWebhookTest(_ request: Request) throws -> Job {
        try request.checkEmptyBody()
        let (id, allowed, event) = (
            request.parameter("id"), request.administeredLists, "t-" + makeID()
        )
        return .work(.small) { [self] in
            let webhook = try changing { try webhooks.beginTest(of: id, of: allowed) }
            return .wait(for: { [webhooks] done in
                webhooks.sendTest(to: webhook, event: event) { done(.success($0)) }
            }) { result in
                var writer = JSONWriter()
                writer.result(result)
                return .respond(.read(writer.bytes))
            }
        }
    }

    /// Gives up an event whose attempts fail.
    func postWebhookSkip(_ request: Request) throws -> Job {
        let event = try request.read { reader throws(JSONTypeError) in
            let form = try WebhookBody(from: &reader, ["event"])
            guard let event = form.event else { throw reader.missingMember("event") }
            return event
        }
        let (id, allowed) = (request.parameter("id"), request.administeredLists)
        return .work(.small) { [self] in
            .respond(.webhook(try changing { try webhooks.skip(event, of: id, of: allowed) }))
        }
    }

    /// Converts the errors of the webhooks.
    private func changing<Value>(_ body: () throws -> Value) throws(Problem) -> Value {
        do {
            return try body()
        } catch Webhooks.ChangeError.notFound {
            throw Problem(.webhookNotFound, "No webhook has this id.")
        } catch Webhooks.ChangeError.otherEvent {
            throw Problem(
                .eventNotFailing,
                "The webhook has no failed attempts for this event. The last element of results has the event that fails."
            )
        } catch Webhooks.ChangeError.testInProgress {
            throw Problem(.requestInProgress, "A test of this webhook is in progress.")
        } catch Webhooks.ChangeError.tooMany(let limit) {
            throw Problem(
                .webhookLimit, "There are already \(limit) webhooks, which is the maximum.")
        } catch {
            throw Problem(service.storeFailure(error))
        }
    }
}

extension ListPatterns {
    /// Checks that a webhook may have lists.
    fileprivate func check(_ lists: [String]) throws(Problem) {
        guard let selection = ListPatterns(lists), includes(selection) else {
            throw Problem(forbiddenList: lists.joined(separator: ", "))
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
        name("formerSecretUntil")
        timeOrNull(webhook.formerSecrets?.last?.until)
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

    fileprivate mutating func result(_ result: Webhook.Result) {
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
