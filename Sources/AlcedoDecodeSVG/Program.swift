import AlcedoPixels
import AlcedoWorker

#if SVG
    import AlcedoSVG
#endif

/// `alcedo-decode-svg`: draws SVG in a sandbox, if its trait is on.
@main
enum Program {
    static func main() {
        #if SVG
            let text = """
                <svg xmlns="http://www.w3.org/2000/svg" width="64" height="16"><text y="12" font-family="sans-serif">a\
                <tspan font-family="serif" font-weight="bold">b</tspan><tspan font-family="monospace">c</tspan></text></svg>
                """
            SVGCodec.discardMessages()
            SVGCodec.loadEncodings()
            DecodeWorker([SVGCodec()], samples: [Array(text.utf8)], readsFonts: true).run()
        #else
            DecodeWorker([]).run()
        #endif
    }
}
