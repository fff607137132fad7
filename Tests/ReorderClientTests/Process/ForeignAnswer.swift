/// Responses of login pages, proxies and other servers: none of them says anything about a list.
enum ForeignAnswer {
    static let all: [String] =
        pages + [
            response("302 Found", "text/html", page, "Location: http://127.0.0.1:9/login\r\n"),
            response("404 Not Found", "application/json", #"{"message":"no Route matched"}"#),
            response(
                "404 Not Found", "application/problem+json",
                #"{"type":"about:blank","title":"Not Found","status":404}"#),
            response(
                "403 Forbidden", "application/json", #"{"code":"forbidden","detail":"blocked"}"#),
            response("422 Unprocessable Content", "application/json", #"{"pointer":"/steps/0/0"}"#),
            response("200 OK", "application/json", "{}"),
        ]

    private static let pages: [String] = [
        "200 OK", "400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found",
        "405 Method Not Allowed", "409 Conflict", "410 Gone", "413 Content Too Large",
        "414 URI Too Long", "422 Unprocessable Content", "451 Unavailable For Legal Reasons",
        "500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable",
        "511 Network Authentication Required",
    ].map { response($0, "text/html", page) }

    private static let page = "<!doctype html><title>Sign in to the network</title>"

    private static func response(
        _ status: String, _ type: String, _ body: String, _ fields: String = ""
    ) -> String {
        """
        HTTP/1.1 \(status)\r
        Content-Type: \(type)\r
        Content-Length: \(body.utf8.count)\r
        Connection: close\r
        \(fields)\r
        \(body)
        """
    }
}
