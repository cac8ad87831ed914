import Alcedo
import Foundation

/// Counts the origins of the grid's images.
@MainActor
final class LoadCounter {
    static let shared = LoadCounter()

    private(set) var counts: [CacheType: Int] = [:]
    private(set) var cancelled = 0
    private(set) var failures: [KingfisherError] = []

    func count(_ result: Result<RetrieveImageResult, KingfisherError>) {
        switch result {
        case .success(let value): counts[value.cacheType, default: 0] += 1
        // The cell was reused for another photo, or cleared.
        case .failure(let error) where error.isTaskCancelled || error.isNotCurrentTask: cancelled += 1
        case .failure(.imageSettingError(reason: .emptySource)): break
        case .failure(let error): failures.append(error)
        }
    }
}
