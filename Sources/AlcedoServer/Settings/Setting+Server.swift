import AlcedoHTTPServer
import AlcedoLocks
import Foundation

extension Setting {
    static let server: [Setting] = [
        Setting("BIND", ":8080", "where to listen: HOST:PORT, :PORT, [IPv6]:PORT or unix:/PATH") {
            $0.listen = try listenAddress($1)
        },
        Setting(
            "WORKERS", "\(2 * ProcessorCount.usable)",
            "images that are processed at a time"
        ) {
            $0.workers = try whole($1, 1...1024)
        },
        Setting(
            "REQUESTS_QUEUE_SIZE", "",
            "queued images, above which new ones get 429; 64 × WORKERS by default, 0 for no limit"
        ) {
            $0.givenQueueSize = try whole($1, 0...1_000_000)
        },
        Setting("MAX_CLIENTS", "2048", "open connections; further ones wait in the system's queue") {
            $0.limits.connections = try whole($1, 1...1_000_000)
        },
        Setting("TIMEOUT", "10", "seconds for a response") { $0.timeout = try seconds($1) },
        Setting("READ_REQUEST_TIMEOUT", "10", "seconds for a request line and its headers") {
            $0.limits.readTimeout = try seconds($1)
        },
        Setting("WRITE_RESPONSE_TIMEOUT", "10", "seconds for sending a response") {
            $0.limits.writeTimeout = try seconds($1)
        },
        Setting("KEEP_ALIVE_TIMEOUT", "10", "seconds that an idle connection is kept; 0 keeps none") {
            $0.limits.keepAliveTimeout = try seconds($1, 0...86_400)
        },
        Setting("GRACEFUL_STOP_TIMEOUT", "20", "seconds for running requests at the end") {
            $0.gracefulStopTimeout = try seconds($1, 0...86_400)
        },
        Setting("SECRET", "", "the token in Authorization: Bearer …", isSecret: true) { $0.secret = $1 },
        Setting("ALLOW_ORIGIN", "", "the value of Access-Control-Allow-Origin") {
            guard $1.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw Refused("an origin, or *")
            }
            $0.allowOrigin = $1
        },
    ]

    static let operation: [Setting] = [
        Setting("PROMETHEUS_BIND", "", "where Prometheus reads metrics, such as 127.0.0.1:9090") {
            $0.metricsListen = try listenAddress($1)
        },
        Setting("PROMETHEUS_NAMESPACE", "", "the prefix of metric names") {
            let isName = $1.utf8.enumerated().allSatisfy { index, byte in
                let character = Character(UnicodeScalar(byte))
                return character.isASCII
                    && (character.isLetter || character == "_" || index > 0 && character.isNumber)
            }
            guard isName else { throw Refused("letters, digits and _") }
            $0.metricsNamespace = $1
        },
    ]

    static let cache: [Setting] = [
        Setting(
            "CACHE_FOLDER", "", "the folder of the disk cache; by default in the user's caches",
            isOwn: true
        ) {
            $0.cache.folder = path($1)
        },
        Setting("CACHE_MEMORY", "64", "MiB of results in memory", isOwn: true) {
            $0.cache.memory = try whole($1, 0...1_048_576)
        },
        Setting("CACHE_DISK", "1024", "MiB of results on the disk; 0 keeps none there", isOwn: true) {
            $0.cache.disk = try whole($1, 0...1_073_741_824)
        },
        Setting("MEMCACHED", "", "memcached servers that share results: HOST:PORT,…", isOwn: true) {
            $0.cache.memcached = try memcachedServers($1)
        },
        Setting(
            "MEMCACHED_SECRET", "", "signs the values in memcached; at least 32 hexadecimal digits",
            isSecret: true,
            isOwn: true
        ) {
            let secret = try hexadecimal($1)
            guard secret.count >= 16 else {
                throw Setting.Refused("at least 32 hexadecimal digits, which are 16 bytes")
            }
            $0.cache.memcachedSecret = secret
        },
        Setting("MEMCACHED_NAMESPACE", "", "the prefix of keys in memcached", isOwn: true) {
            $0.cache.memcachedNamespace = $1
        },
    ]
}
