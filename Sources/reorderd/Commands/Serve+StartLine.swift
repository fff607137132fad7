import Logging

extension Serve {
    /// The version, the store, the access and the limits, for the log.
    var startMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "version": "\(Version.text)", "store": "\(store)",
            "access": access.asksForTokens ? "tokens" : access.noAuth ? "everyone" : "this machine",
            "tls": tls.tlsCert == nil ? "off" : "on",
            "maxBodyBytes": .stringConvertible(connections.maxBodyBytes),
            "maxConnections": .stringConvertible(connections.maxConnections),
            "maxStreams": .stringConvertible(maxStreams),
            "maxTasksPerList": .stringConvertible(maxTasksPerList),
            "cacheBytes": .stringConvertible(cacheBytes),
            "history": "\(history.defaultValueDescription)",
            "binDays": .stringConvertible(binDays),
            "drainSeconds": .stringConvertible(connections.drainSeconds),
            "rateLimit": "\(rates.rateLimit?.text ?? "none")",
            "trustProxy": .array(rates.trustProxy.map { "\($0)" }),
        ]
        metadata["rateBurst"] = rates.rateBurst.map { .stringConvertible($0) }
        metadata["tokens"] = access.tokens.map { "\($0)" }
        metadata["jwks"] = access.jwks.map { "\($0)" }
        return metadata
    }
}
