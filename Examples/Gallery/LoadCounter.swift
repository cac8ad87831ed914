import Alcedo
import Foundation

/// Counts where the pictures in the grid came from.
@MainActor
final class LoadCounter {
    static let shared = LoadCounter()

    private(set) var counts: [CacheType: Int] = [:]
    private(set) var cancelled = 0
    private(set) var failures: [KingfisherError] = []

    func count(_ result: Result<RetrieveImageResult, KingfisherError>) {
        switch result {
        case .success(let value): counts[value.cacheType, default: 0] += 1
        // A cell that went on to the next photo, or to none.
        case .failure(let error) where error.isTaskCancelled || error.isNotCurrentTask: cancelled += 1
        case .failure(.imageSettingError(reason: .emptySource)): break
        case .failure(let error): failures.append(error)
        }
    }
}
