import AlcedoIsolation
import AlcedoPixels

/// Decodes frames of videos, in the worker processes of `alcedo-decode-video`.
let videoFrames: any FileDecoder = {
    // Sets the memory limit of workers.
    _ = codecs
    return IsolatedFileDecoder(of: .video, in: .video)
}()
