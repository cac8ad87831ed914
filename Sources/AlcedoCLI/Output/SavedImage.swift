import Alcedo
import AlcedoConsole

/// The output of `get` for an image that it has written.
struct SavedImage: Sendable {
    let input: Input
    let path: String
    let pixels: PixelSize
    let cacheType: CacheType
    let format: EncodedFormat
    let bytes: Int

    /// The line without `--json`.
    var line: String {
        let origin =
            switch cacheType {
            case .none: "loaded"
            case .memory: "from memory"
            case .disk: "from disk"
            }
        return "\(printable(path))  \(pixels) \(format), \(byteText(bytes)), \(origin)\n"
    }

    /// The line with `--json`, and with the load's stages if there are any.
    func json(trace: [TracedStage]?) -> String {
        var object: [String: Any] = [
            "url": shown(input.word), "path": path, "format": format.rawValue, "bytes": bytes,
            "from": Origin(input, cacheType).rawValue, "width": pixels.width, "height": pixels.height,
        ]
        object["trace"] = trace?.json
        return jsonLine(object)
    }
}
