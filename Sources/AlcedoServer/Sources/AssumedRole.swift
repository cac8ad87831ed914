import AlcedoLocks
import AlcedoTransport
import Foundation

/// The temporary key of a role, which is replaced before it expires.
final class AssumedRole: Sendable {
    struct Settings: Sendable, Equatable {
        var arn = ""

        /// What the role may demand; empty for nothing.
        var externalID = ""

        /// Where roles are assumed; nil for AWS.
        var endpoint: ObjectStore.Endpoint?

        /// For a request.
        var time = Duration.seconds(10)
    }

    private struct Key {
        let credentials: AWSCredentials
        let expires: Date
        var renewal: Date
    }

    private struct State {
        var key: Key?
        /// The last failure, and until when no other request is made.
        var failure: (value: RequestFailure, until: Date)?
    }

    /// After a failure: a service that limits requests would reject the next ones, too.
    private static let pause: TimeInterval = 5

    let settings: Settings
    private let own: AWSCredentials
    private let region: String
    private let state = Lock(State())
    /// Results that need a new key at the same time share the request for it.
    private let requests = Flights<Void>()

    /// - Parameters:
    ///   - settings: the role, and where it is assumed.
    ///   - own: the key that may assume it.
    ///   - region: that of the service which gives temporary keys.
    init(_ settings: Settings, own: AWSCredentials, region: String) {
        (self.settings, self.own, self.region) = (settings, own, region)
    }

    /// The temporary key; requests a new one in the last minutes of the old one, which is used while that fails.
    func credentials(by transport: any Transport, at now: Date) async -> Result<
        AWSCredentials, RequestFailure
    > {
        let isNeeded = state.withLock { state in
            now >= state.key?.renewal ?? .distantPast && now >= state.failure?.until ?? .distantPast
        }
        if isNeeded {
            let end = await requests.outcome(forKey: "", until: .now + settings.time) {
                await self.renew(by: transport, at: now)
            }
            if case .cancelled = end { return .failure(.cancelled) }
        }
        return state.withLock { state in
            if let key = state.key, now < key.expires { return .success(key.credentials) }
            return .failure(state.failure?.value ?? .timedOut)
        }
    }

    private func renew(by transport: any Transport, at now: Date) async {
        let result = await newKey(by: transport, at: now)
        state.withLock { state in
            switch result {
            case .success(let key): (state.key, state.failure) = (key, nil)
            case .failure(let failure): state.failure = (failure, now.addingTimeInterval(Self.pause))
            }
        }
    }

    private func newKey(by transport: any Transport, at now: Date) async -> Result<Key, RequestFailure> {
        guard let signed = request(at: now) else {
            return .failure(.internalError("the request for a role could not be signed: libcrypto failed"))
        }
        let reason: String
        do throws(TransportError) {
            var request = try TransportRequest(address: signed.url)
            request.headers = signed.headers
            request.maximumBodyBytes = 64 << 10
            // The operator has named the address. A redirect is the response; with a limit of 0 it would be an error.
            (request.addressPolicy, request.maximumRedirects) = (.any, 1)
            request.timeouts = TransportTimeouts(
                queue: settings.time, connect: settings.time, firstByte: settings.time, stall: settings.time,
                total: settings.time
            )
            let response = try await RemoteSource.load(request, isSigned: true, with: transport).get()
            if response.status == 200, let key = Self.key(in: response.result.body, at: now) {
                return .success(key)
            }
            let code = ObjectStore.errorCode(of: response).map { " (\($0))" } ?? ""
            reason = "the response has the status \(response.status)\(code)"
        } catch {
            reason = "\(error)"
        }
        return .failure(
            .unreachable("the role \(settings.arn) can't be assumed: \(reason)", status: 502).passing())
    }

    private func request(at date: Date) -> (url: String, headers: [(name: String, value: String)])? {
        let endpoint = settings.endpoint ?? .aws("sts", region: region)
        var parameters = [("Action", "AssumeRole"), ("DurationSeconds", "3600")]
        if !settings.externalID.isEmpty { parameters.append(("ExternalId", settings.externalID)) }
        parameters += [("RoleArn", settings.arn), ("RoleSessionName", "alcedo"), ("Version", "2011-06-15")]
        let query = parameters.map { "\($0)=\(ObjectAddress.encoded(Array($1.utf8)) { _ in false })" }
            .joined(separator: "&")
        let request = AWSSignature.Request(host: endpoint.host, path: endpoint.path + "/", query: query)
        let signature = AWSSignature(credentials: own, region: region, service: "sts")
        return signature.headers(of: request, at: date).map {
            ("\(endpoint.scheme)://\(request.host)\(request.path)?\(query)", $0)
        }
    }

    private static func key(in body: Data, at now: Date) -> Key? {
        func text(_ name: String) -> String? { ObjectStore.text(of: name, in: body) }
        guard let id = text("AccessKeyId"), let secret = text("SecretAccessKey"),
            let token = text("SessionToken"), let date = text("Expiration"),
            let expires = try? Date(
                date,
                strategy: .iso8601.year().month().day().time(includingFractionalSeconds: date.contains(".")))
        else { return nil }
        let left = expires.timeIntervalSince(now)
        return Key(
            credentials: AWSCredentials(keyID: id, secret: secret, sessionToken: token), expires: expires,
            renewal: expires.addingTimeInterval(-min(300, left / 2)))
    }
}
