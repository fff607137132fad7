import MicroHTTP
import WebPage

extension ReorderAPI {
    /// The web page's document.
    func getPage(_ request: Request) throws -> Job {
        .respond(WebBundle.page.document.form(for: request))
    }

    /// A file that the web page's document refers to.
    func getPageFile(_ request: Request) throws -> Job {
        try file(of: .page, request, orElse: "The web page has no such file.")
    }

    /// The JavaScript client: a module that exports the client's module of this build.
    func getClient(_ request: Request) throws -> Job {
        .respond(WebBundle.client.document.form(for: request))
    }

    /// The JavaScript client in one file, or its types.
    func getClientBundle(_ request: Request) throws -> Job {
        let name = request.parameter("file")
        guard let file = WebBundle.clientInOneFile[name] else {
            throw Problem(.notFound, Self.noClientFile)
        }
        return .respond(file.form(for: request))
    }

    /// A module of the JavaScript client.
    func getClientFile(_ request: Request) throws -> Job {
        try file(of: .client, request, orElse: Self.noClientFile)
    }

    private static let noClientFile = "The JavaScript client has no such file."

    private func file(
        of bundle: WebBundle, _ request: Request, orElse detail: String
    ) throws -> Job {
        let build = request.parameter("build")
        guard let file = bundle.file(request.parameter("file"), build: build) else {
            throw Problem(.notFound, detail)
        }
        return .respond(file.form(for: request))
    }
}
