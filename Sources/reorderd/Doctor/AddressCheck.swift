import MicroHTTP
import WebhookSockets

/// Whether the server can listen on its address, or what responds there.
struct AddressCheck {
    let check: Diagnosis.Check
    let serve: Serve

    /// - Returns: whether a server responds; nil if that is unknown.
    func run() -> Bool? {
        let place = "\(serve.host) port \(serve.port)"
        do throws(HTTPServerError) {
            try HTTPServer.checkAddress(host: serve.host, port: serve.port)
            guard serve.port > 0 else {
                check.ok("the server chooses a free port")
                return nil
            }
            check.ok("\(place) is free: no server runs there")
            return false
        } catch {
            return ask(place, "\(error)")
        }
    }

    private func ask(_ place: String, _ failure: String) -> Bool {
        let host = Health.reachable(serve.host)
        let url =
            (serve.tls.tlsCert == nil ? "http://" : "https://")
            + (host.contains(":") ? "[\(host)]" : host) + ":\(serve.port)/readyz/writes"
        let body = (try? CurlDownload.response(of: url, isLocal: true).body) ?? []
        let text = String(decoding: body, as: UTF8.self)
        if text == ProxyCheck.healthy {
            check.ok("the server at \(place) is ready")
            return true
        }
        if let reason = text.firstMatch(of: /"detail":"([^"]*)"/)?.1 {
            check.problem(
                "the server at \(place) is not ready: \(reason)",
                "The lines below, or its log, have the cause")
            return true
        }
        check.problem(
            "no server can use \(place): \(failure)",
            "End the program that uses it, or choose another --host or --port")
        return false
    }
}
