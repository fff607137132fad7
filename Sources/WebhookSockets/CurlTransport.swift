import CCurl
import Foundation
import ReorderService
import ReorderWebhooks
import Synchronization

/// Sends requests to receivers with libcurl, all of them on one thread.
///
/// A receiver that does not respond occupies a socket and a little memory until its time is over. It
/// delays no other receiver.
///
/// `@unchecked Sendable`: only the thread uses `requests`. Other threads only call `curl_multi_wakeup` for
/// `multi`, which libcurl allows, under the lock of `inbox` and before it is closed.
package final class CurlTransport: WebhookTransport, @unchecked Sendable {
    private struct Waiting {
        var message: WebhookMessage
        var done: @Sendable (WebhookOutcome) -> Void
    }

    private struct Inbox {
        var waiting: [Waiting] = []
        var isClosed = false
    }

    private let options: WebhookOptions
    private let multi: UnsafeMutableRawPointer
    private let worker: any Worker
    private let inbox = Mutex(Inbox())
    private var requests: [UnsafeMutableRawPointer: CurlRequest] = [:]

    /// The maximum number of connections that stay open without a request.
    private static let idleConnections = 16

    /// libcurl can't be used.
    package struct StartError: Error {
        package var reason: String
    }

    package init(_ options: WebhookOptions) throws(StartError) {
        self.options = options
        micro_curl_begin()
        guard micro_curl_looks_up_names_aside() != 0 else {
            // A receiver with a slow name server would delay all others.
            throw StartError(reason: "libcurl was built without asynchronous lookup of names")
        }
        guard let multi = curl_multi_init() else {
            throw StartError(reason: "libcurl can't begin")
        }
        micro_curl_limit_idle(multi, Self.idleConnections)
        self.multi = multi
        worker = ThreadWorker("webhook sockets", threadCount: 1)
        worker.start(first: .at(0)) { self.run() }
    }

    package func send(
        _ message: WebhookMessage, _ done: @escaping @Sendable (WebhookOutcome) -> Void
    ) {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return }
            inbox.waiting.append(Waiting(message: message, done: done))
            curl_multi_wakeup(multi)
        }
    }

    package func stop() {
        let isFirst = inbox.withLock { inbox in
            defer { inbox.isClosed = true }
            return !inbox.isClosed
        }
        guard isFirst else { return }
        worker.stop()
        curl_multi_wakeup(multi)
        worker.join(until: .max)
        curl_multi_cleanup(multi)
    }

    private func run() -> NextStep {
        while !worker.isStopping {
            let waiting = inbox.withLock { inbox in
                defer { inbox.waiting = [] }
                return inbox.waiting
            }
            for item in waiting { begin(item) }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            finishRequests()
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
        for (handle, request) in requests {
            curl_multi_remove_handle(multi, handle)
            request.close()
        }
        requests = [:]
        return .end
    }

    private func begin(_ item: Waiting) {
        let fault = WebhookOutcome.failure("The request could not begin.")
        guard let request = CurlRequest(item.message, options, item.done) else {
            return item.done(fault)
        }
        guard curl_multi_add_handle(multi, request.handle) == CURLM_OK else {
            request.close()
            return item.done(fault)
        }
        requests[request.handle] = request
    }

    private func finishRequests() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle
            else { continue }
            let code = micro_curl_result(message)
            curl_multi_remove_handle(multi, handle)
            guard let request = requests.removeValue(forKey: handle) else { continue }
            request.end(code)
        }
    }
}
