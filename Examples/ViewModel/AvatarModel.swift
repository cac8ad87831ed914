import Alcedo
import Foundation

/// What a program knows of a user's picture, without a view.
@MainActor
final class AvatarModel {
    enum State: Sendable {
        case empty
        case loading(fraction: Double)
        case shown(Image)
        case failed(String)
    }

    private(set) var state = State.empty {
        didSet { stateChanged?(state) }
    }

    /// Called with each new state, as a view would observe it.
    var stateChanged: ((State) -> Void)?

    private let manager: KingfisherManager

    init(manager: KingfisherManager = .shared) { self.manager = manager }

    func load(_ url: URL) async {
        state = .loading(fraction: 0)
        do {
            let result = try await manager.retrieveImage(with: url) { @Sendable received, total in
                // Progress is reported on the main thread.
                MainActor.assumeIsolated { self.report(received, of: total) }
            }
            state = .shown(result.image)
        } catch let error as KingfisherError where error.isInvalidResponseStatusCode(404) {
            state = .empty
        } catch {
            state = .failed(error.localizedDescription)
        }
    }

    private func report(_ received: Int64, of total: Int64) {
        if case .loading = state { state = .loading(fraction: Double(received) / Double(total)) }
    }
}
