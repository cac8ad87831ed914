import Alcedo
import Foundation
public import FoundationNetworking

extension ImageDownloader {
    /// The protocol's cache policy, cookies, a timeout of 60 seconds, and ``defaultURLCache()``.
    public class func defaultURLSessionConfiguration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.af.default
        configuration.httpShouldSetCookies = true
        configuration.requestCachePolicy = .useProtocolCachePolicy
        configuration.allowsCellularAccess = true
        configuration.timeoutIntervalForRequest = 60
        configuration.urlCache = defaultURLCache()
        return configuration
    }

    /// 20 MiB in memory and 150 MiB on disk, in the folder `org.alamofire.imagedownloader` of the user's caches.
    public class func defaultURLCache() -> URLCache {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return HTTPCache(
            memoryCapacity: 20 << 20,
            diskCapacity: 150 << 20,
            directory: caches?.appending(path: "org.alamofire.imagedownloader")
        )
    }
}
