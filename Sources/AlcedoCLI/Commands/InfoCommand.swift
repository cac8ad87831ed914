import Alcedo
import AlcedoCodecs
import AlcedoConsole
import AlcedoPixels
import Foundation

/// `alcedo info`: prints the facts in an image's headers.
struct InfoCommand: Command {
    static let name = "info"
    static let synopsis = "info URL|FILE|-… [OPTION]… [--json]"
    static let summary = "Prints format, size, frames, colour profile and metadata of images."
    static let details = """
        - is standard input.

        \(PageOption.details)
          --palette          print the colours that the image consists of, with their shares of the area
          --hash             print the perceptual hash, of which copies of an image differ in up to 10 of 64 bits
          --json             print one JSON object for each image, and for each failure
        \(LoadOptions.details)

        Tells how many bits a channel has, and the colours: a profile, or those that numbers in the file stand for; and
        whether a JPEG, a HEIC or an AVIF has a gain map, from which programs make a brighter picture.

        Reads headers only, without --palette and --hash: an image with valid headers may still be damaged, and has
        up to 1000000000 pixels without --max-pixels. Of EXIF, XMP and IPTC it prints when,
        where and how the picture was taken, and what they say about it; control characters become \u{FFFD}.
        """
    static let examples = [
        Example(
            #"alcedo info photo.jpg https://example.com/logo.svg"#,
            "prints what two images are"),
        Example(
            #"alcedo info --json *.png | jq '.width'"#,
            "prints the widths of pictures"),
        Example(
            #"alcedo info - < photo.jpg"#,
            "reads standard input"),
    ]
    static let options: [Arguments.Option] =
        [PageOption.option, .flag("palette"), .flag("hash"), .flag("json")] + LoadOptions.options

    private let words: [String]
    private let printsJSON: Bool
    private let printsPalette: Bool
    private let printsHash: Bool
    private let page: Int?
    private let load: LoadOptions

    init(_ arguments: Arguments) throws {
        guard !arguments.operands.isEmpty else { throw UsageError(message: "info needs a file or a URL") }
        words = try Input.words(of: arguments)
        printsJSON = arguments.has("json")
        printsPalette = arguments.has("palette")
        printsHash = arguments.has("hash")
        page = try PageOption.page(arguments)
        load = try LoadOptions(arguments, readsPixels: printsPalette || printsHash)
    }

    func run() async throws -> ExitCode {
        var code = ExitCode.success
        for word in words {
            do {
                let report = try await report(on: word)
                Terminal.print(printsJSON ? report.json : report.text)
            } catch {
                try Task.checkCancellation()
                Failure(word, error).report(on: word, asJSON: printsJSON)
                code = .failure
            }
        }
        return code
    }

    private func report(on word: String) async throws -> Report {
        let input = try await Input.open(word, within: load.fileTimeout)
        let result = try await VideoTime.explaining(input, "alcedo get --at SECONDS saves a frame of it") {
            try await CommandCache.manager.retrieveImage(
                with: input.source, options: load.options(for: input) + input.cacheOptions)
        }
        guard let data = result.data(), let info = result.image.info else {
            throw Failure("there are no bytes")
        }
        let image = try page.map { try result.image.page(at: $0) } ?? result.image
        return Report(
            // A frame of an animation has no headers of its own.
            word: word, info: image.info ?? info, profile: image.profileName ?? result.image.profileName,
            colors: image.storedColors ?? result.image.storedColors,
            pageCount: info.frameCount > 1 ? 1 : result.image.pageCount,
            hasGainMap: GainMap.isIn(data, info.format),
            metadata: image.metadata.map(MetadataReport.init),
            palette: printsPalette ? try image.palette() : nil,
            hash: printsHash ? try image.perceptualHash() : nil, bytes: data.count,
            origin: Origin(input, result.cacheType))
    }

    private struct Report {
        let word: String
        let info: ImageInfo
        let profile: String?
        let colors: StoredColors?
        let pageCount: Int
        let hasGainMap: Bool
        let metadata: MetadataReport?
        let palette: [PaletteColor]?
        let hash: PerceptualHash?
        let bytes: Int
        let origin: Origin

        var text: String {
            var lines = [
                ("format", "\(info.format)"),
                ("size", "\(info.uprightSize) pixels"),
                ("bytes", byteText(bytes)),
                ("frames", info.frameCount == 1 ? "1" : "\(info.frameCount), \(loops)"),
                ("orientation", "\(info.orientation.rawValue) (\(info.orientation))"),
                ("profile", profile.map(printable) ?? "none"), ("colours", printable(colorName)),
            ]
            if let colors {
                let kind = colors.isFloat ? ", floating point" : ""
                lines.insert(("depth", "\(colors.bits) bits a channel\(kind)"), at: 3)
            }
            if pageCount > 1 { lines.append(("pages", "\(pageCount)")) }
            if hasGainMap { lines.append(("gain map", "yes")) }
            if info.hasAlpha { lines.insert(("alpha", "yes"), at: 3) }
            if let palette {
                let texts = palette.map { "\($0.hexadecimal) \(Int(($0.share * 100).rounded())) %" }
                lines.append(("palette", texts.isEmpty ? "none" : texts.joined(separator: ", ")))
            }
            if let hash { lines.append(("hash", "\(hash)")) }
            lines += metadata?.lines ?? []
            return "\(printable(shown(word)))\n"
                + lines.map { "  \($0.0.padding(toLength: 12, withPad: " ", startingAt: 0))\($0.1)\n" }
                .joined()
        }

        /// Those that numbers in the file stand for, or else the profile's.
        private var colorName: String {
            colors?.name ?? profile ?? (colors?.isCMYK == true ? "CMYK" : "sRGB")
        }

        private var loops: String {
            switch info.loopCount {
            case 0: "for ever"
            case 1: "once"
            default: "\(info.loopCount) times"
            }
        }

        var json: String {
            var object: [String: Any] = [
                "url": shown(word), "from": origin.rawValue, "format": info.format.rawValue, "bytes": bytes,
                "frames": info.frameCount,
                "width": info.uprightSize.width, "height": info.uprightSize.height, "alpha": info.hasAlpha,
                "orientation": info.orientation.rawValue, "loops": info.loopCount,
            ]
            object["profile"] = profile ?? NSNull()
            object["colors"] = colorName
            object["depth"] = colors?.bits
            if colors?.isFloat == true { object["float"] = true }
            object["gainMap"] = hasGainMap
            object["pages"] = pageCount
            object["palette"] = palette?.map {
                ["color": $0.hexadecimal, "share": $0.share] as [String: Any]
            }
            object["hash"] = hash?.description
            if let metadata = metadata?.json, !metadata.isEmpty { object["metadata"] = metadata }
            return jsonLine(object)
        }
    }
}

extension PaletteColor {
    /// Such as `#3366cc`.
    fileprivate var hexadecimal: String {
        let levels = [color.red, color.green, color.blue].map { Int(($0 * 255).rounded()) }
        return "#" + levels.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
