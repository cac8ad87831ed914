import AlcedoLocks
import AlcedoTransport
import Foundation

/// A service that gives keys or tokens which expire.
protocol CredentialService: Sendable {
    associatedtype Credential: Sendable

    /// What can't be done without a credential, for errors.
    var failure: String { get }

    /// For a request.
    var timeouts: TransportTimeouts { get }

    /// The request for a credential; requests that have to come first are sent by `transport`.
    func request(at date: Date, by transport: any Transport) async throws -> TransportRequest

    /// The credential in a response of success, and when it expires; nil if there is none.
    func credential(in response: RemoteSource.Response, at now: Date) -> (value: Credential, expires: Date)?
}

/// Why there is no credential.
struct CredentialFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The token in a file, which platforms replace from time to time.
    static func token(in path: String) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CredentialFailure("the token in \(path) can't be read")
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.isHeaderText else { throw CredentialFailure("\(path) has no token") }
        return token
    }
}

extension CredentialService {
    /// The response to a request, if it is one of success.
    func response(
        to request: TransportRequest, by transport: any Transport
    ) async throws -> RemoteSource.Response {
        var request = request
        request.maximumBodyBytes = 1 << 20
        // The operator has named the address. A redirect is the response; with a limit of 0 it would be an error.
        (request.addressPolicy, request.maximumRedirects) = (.any, 1)
        request.timeouts = timeouts
        let response = try await RemoteSource.load(request, isSigned: true, with: transport).get()
        guard (200..<300).contains(response.status) else {
            let code = ObjectStore.errorCode(of: response).map { " (\($0))" } ?? ""
            throw CredentialFailure("the response has the status \(response.status)\(code)")
        }
        return response
    }
}

/// The credential of a service, which is replaced before it expires.
final class TemporaryCredential<Service: CredentialService>: Sendable {
    struct Issued: Sendable {
        let value: Service.Credential
        fileprivate let expires: Date
        fileprivate let renewal: Date
        fileprivate let number: Int
    }

    private struct State {
        var issued: Issued?
        var count = 0
        /// The last failure, and until when no other request is made.
        var failure: (value: RequestFailure, until: Date)?

        func needsRequest(at now: Date) -> Bool {
            now >= issued?.renewal ?? .distantPast && now >= failure?.until ?? .distantPast
        }
    }

    /// After a failure: a service that limits requests would reject the next ones, too.
    private static var pause: TimeInterval { 5 }

    let service: Service
    private let state = Lock(State())
    /// Results that need a new credential at the same time share the request for it.
    private let requests = Flights<Void>()

    init(_ service: Service) { self.service = service }

    /// The credential; requests a new one in the last minutes of the old one, which is used while that fails.
    func current(by transport: any Transport, at now: Date) async -> Result<Issued, RequestFailure> {
        if state.withLock({ $0.needsRequest(at: now) }) {
            let end = await requests.outcome(forKey: "", until: .now + service.timeouts.total) {
                await self.renew(by: transport, at: now)
            }
            if case .cancelled = end { return .failure(.cancelled) }
        }
        return state.withLock { state in
            if let issued = state.issued, now < issued.expires { return .success(issued) }
            return .failure(state.failure?.value ?? .timedOut)
        }
    }

    /// The response to a request that `send` sends with the credential, and once more with a new one after a 401.
    func response(
        by transport: any Transport, now: () -> Date,
        send: (_ credential: Service.Credential, _ isFirst: Bool) async -> Result<
            RemoteSource.Response, RequestFailure
        >
    ) async -> Result<RemoteSource.Response, RequestFailure> {
        var isFirst = true
        while true {
            switch await current(by: transport, at: now()) {
            case .failure(let failure): return .failure(failure)
            case .success(let issued):
                let result = await send(issued.value, isFirst)
                guard isFirst, case .success(let response) = result, response.status == 401 else {
                    return result
                }
                // Others may have replaced it by now.
                state.withLock { if $0.issued?.number == issued.number { $0.issued = nil } }
                isFirst = false
            }
        }
    }

    private func renew(by transport: any Transport, at now: Date) async {
        // Another request may have ended between the look at the state and the start of this one.
        guard state.withLock({ $0.needsRequest(at: now) }) else { return }
        let result = await newCredential(by: transport, at: now)
        state.withLock { state in
            switch result {
            case .success(let new):
                state.count += 1
                let left = new.expires.timeIntervalSince(now)
                state.issued = Issued(
                    value: new.value, expires: new.expires,
                    renewal: new.expires.addingTimeInterval(-min(300, left / 2)), number: state.count)
                state.failure = nil
            case .failure(let failure): state.failure = (failure, now.addingTimeInterval(Self.pause))
            }
        }
    }

    private func newCredential(by transport: any Transport, at now: Date) async -> Result<
        (value: Service.Credential, expires: Date), RequestFailure
    > {
        let reason: String
        do {
            let request = try await service.request(at: now, by: transport)
            let response = try await service.response(to: request, by: transport)
            let new = service.credential(in: response, at: now)
            if let new, new.expires > now { return .success(new) }
            reason =
                new == nil
                ? "the response has no credential" : "it has expired already: check the clock of this machine"
        } catch {
            reason = "\(error)"
        }
        return .failure(.unreachable("\(service.failure): \(reason)", status: 502).passing())
    }
}

extension TransportTimeouts {
    /// `time` for all phases together, of which connecting may take a part only.
    static func all(_ time: Duration, connect: Duration? = nil) -> Self {
        Self(queue: time, connect: connect ?? time, firstByte: time, stall: time, total: time)
    }
}

extension TransportRequest {
    /// A request that sends a form, which is encoded already.
    static func form(_ form: String, to address: String) throws(TransportError) -> TransportRequest {
        try TransportRequest(address: address) {
            ($0.method, $0.body) = ("POST", Data(form.utf8))
            $0.headers = [("Content-Type", "application/x-www-form-urlencoded")]
        }
    }
}

extension Date {
    /// Reads a date such as `2026-11-30T12:00:00Z`, with or without fractions of a second.
    init?(expiry text: String) {
        let style = Date.ISO8601FormatStyle.iso8601.year().month().day()
            .time(includingFractionalSeconds: text.contains("."))
        guard let date = try? Date(text, strategy: style) else { return nil }
        self = date
    }
}

extension String {
    /// Whether a header can have it as a key, a token or a name: ASCII without spaces.
    var isHeaderText: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
