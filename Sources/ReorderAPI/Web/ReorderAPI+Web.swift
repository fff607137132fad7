import MicroHTTP
import WebPage

extension ReorderAPI {
    /// The web page's document.
    func getPage(_ call: Call) throws -> Response {
        WebBundle.page.document.form(for: call.request)
    }

    /// A file that the web page's document refers to.
    func getPageFile(_ call: Call) throws -> Response {
        try file(of: .page, call, orElse: "The web page has no such file.")
    }

    /// The JavaScript client: a module that exports the client's module of this build.
    func getClient(_ call: Call) throws -> Response {
        WebBundle.client.document.form(for: call.request)
    }

    /// The JavaScript client in one file, or its types.
    func getClientBundle(_ call: Call) throws -> Response {
        let name = call.request.parameter("file")
        guard let file = WebBundle.clientInOneFile[name] else {
            throw Problem(.notFound, Self.noClientFile)
        }
        return file.form(for: call.request)
    }

    /// A module of the JavaScript client.
    func getClientFile(_ call: Call) throws -> Response {
        try file(of: .client, call, orElse: Self.noClientFile)
    }

    private static let noClientFile = "The JavaScript client has no such file."

    private func file(of bundle: WebBundle, _ call: Call, orElse detail: String) throws -> Response
    {
        let build = call.request.parameter("build")
        guard let file = bundle.file(call.request.parameter("file"), build: build) else {
            throw Problem(.notFound, detail)
        }
        return file.form(for: call.request)
    }
}
