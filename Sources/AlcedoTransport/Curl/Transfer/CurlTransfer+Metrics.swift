import CCurl
import Foundation

extension CurlTransfer {
    /// The transfer's measurements, once it has ended; the easy handle must be attached.
    func collect() -> TransportMetrics {
        recordRequest()
        var metrics = TransportMetrics()
        guard let deadlines else { return metrics }
        metrics.start = startDate
        metrics.queued = deadlines.start - task.posted
        metrics.total = MonotonicClock.now - deadlines.start
        metrics.redirectCount = machine.redirectCount
        metrics.requests = records
        guard let last = records.last else { return metrics }
        metrics.isConnectionReused = last.isConnectionReused
        metrics.nameLookup = last.nameLookup?.end
        metrics.connect = last.connect?.end
        metrics.tls = last.tls?.end
        metrics.requestStart = last.request?.start
        metrics.firstByte = last.response?.start
        metrics.bytesSent = last.requestHeaderBytes + last.requestBodyBytes
        metrics.bytesReceived = last.responseHeaderBytes + last.responseBodyBytes
        return metrics
    }

    /// Records the current request's measurements, once it has ended; once for each request.
    func recordRequest() {
        guard let easy, let deadlines, !isRecorded else { return }
        isRecorded = true
        var record = RequestMetrics(
            url: request.url, method: request.method,
            start: startDate.addingTimeInterval(requestStart - deadlines.start))
        record.duration = easy.seconds(CURLINFO_TOTAL_TIME_T) ?? 0
        record.tlsVersion = tlsVersion
        record.isConnectionReused = machine.isSent && easy.number(CURLINFO_NUM_CONNECTS) == 0
        if !record.isConnectionReused { recordPhases(of: easy, in: &record) }
        if machine.isSent { recordExchange(of: easy, in: &record) }
        records.append(record)
    }

    private func recordPhases(of easy: EasyHandle, in record: inout RequestMetrics) {
        let lookup = easy.seconds(CURLINFO_NAMELOOKUP_TIME_T)
        let connect = easy.seconds(CURLINFO_CONNECT_TIME_T)
        record.nameLookup = lookup.map { .init(start: 0, end: $0) }
        record.connect = connect.map { .init(start: lookup ?? 0, end: $0) }
        record.tls = easy.seconds(CURLINFO_APPCONNECT_TIME_T).map { .init(start: connect ?? 0, end: $0) }
    }

    private func recordExchange(of easy: EasyHandle, in record: inout RequestMetrics) {
        let sent = easy.seconds(CURLINFO_PRETRANSFER_TIME_T) ?? 0
        let firstByte = easy.seconds(CURLINFO_STARTTRANSFER_TIME_T)
        record.request = .init(start: sent, end: request.body == nil ? sent : firstByte ?? sent)
        record.requestBodyBytes = easy.size(CURLINFO_SIZE_UPLOAD_T)
        record.requestHeaderBytes = Int64(easy.number(CURLINFO_REQUEST_SIZE))
        if CurlLibrary.countsLongBodies || record.requestBodyBytes < 64 << 10 {
            record.requestHeaderBytes = max(0, record.requestHeaderBytes - record.requestBodyBytes)
        }
        if !headers.isEmpty {
            record.status = machine.response?.status ?? headers.status
            record.httpVersion = machine.response?.httpVersion ?? headers.httpVersion
            record.response = firstByte.map { .init(start: $0, end: record.duration) }
            record.responseHeaderBytes = Int64(easy.number(CURLINFO_HEADER_SIZE))
            record.responseBodyBytes = easy.size(CURLINFO_SIZE_DOWNLOAD_T)
        }
        record.remoteAddress = easy.text(CURLINFO_PRIMARY_IP)
        record.remotePort = easy.port(CURLINFO_PRIMARY_PORT)
        record.localAddress = easy.text(CURLINFO_LOCAL_IP)
        record.localPort = easy.port(CURLINFO_LOCAL_PORT)
    }
}

extension EasyHandle {
    /// A time of libcurl's; nil without such a phase.
    fileprivate func seconds(_ info: CURLINFO) -> Double? {
        let microseconds = size(info)
        return microseconds > 0 ? Double(microseconds) / 1e6 : nil
    }

    fileprivate func text(_ info: CURLINFO) -> String? {
        var text: UnsafePointer<CChar>?
        guard alcedo_curl_get_string(pointer, info, &text) == CURLE_OK, let text, text.pointee != 0 else {
            return nil
        }
        return String(cString: text)
    }

    fileprivate func port(_ info: CURLINFO) -> Int? {
        let port = number(info)
        return port > 0 ? port : nil
    }
}
