import MicroHTTP

/// Whether the server can listen on its address, or what answers there.
struct AddressCheck {
    let check: Diagnosis.Check
    let serve: Serve

    /// - Returns: whether a server answers; nil if that is unknown.
    func run() -> Bool? {
        let place = "\(serve.host) port \(serve.port)"
        do throws(HTTPServerError) {
            try HTTPServer.checkAddress(host: serve.host, port: serve.port)
            check.ok(
                serve.port == 0
                    ? "the server takes a free port" : "\(place) is free: no server runs there")
            return serve.port == 0 ? nil : false
        } catch {
            let server = LocalServer(
                listeningOn: serve.host, port: serve.port, isEncrypted: serve.tls.tlsCert != nil,
                limitSeconds: 5)
            return ask(server, place, "\(error)")
        }
    }

    private func ask(_ server: LocalServer, _ place: String, _ failure: String) -> Bool {
        do throws(LocalServer.Failure) {
            let contract = try server.get("/openapi.json", byteCount: 2_048).beginning
            guard let version = contract.firstMatch(of: /"title":"reorderd","version":"([^"]+)"/)?.1
            else { throw LocalServer.Failure("another program answers") }
            checkReadiness(server, "reorderd \(version) at \(place)")
            guard version != Version.number else { return true }
            check.warning(
                "this program is reorderd \(Version.number)", "Restart the server to use it")
            return true
        } catch {
            check.problem(
                "\(place) can't be used (\(failure)), and no reorderd responds there (\(error.reason))",
                "End the other program, or choose another --port or --host. A socket of systemd responds if its service runs"
            )
            return false
        }
    }

    private func checkReadiness(_ server: LocalServer, _ name: String) {
        for (path, what) in [("/readyz", "read its store"), ("/readyz/writes", "store changes")]
        where (try? server.get(path).status) != 200 {
            return check.problem(
                "\(name) can't \(what) (\(path) does not return 200)",
                "Its log, and perhaps the lines below, have the reason")
        }
        check.ok("\(name) is ready")
    }
}
