import Alcedo
import Harness

let launch = Launch()
let arguments = Arguments()

let measurements: [String: (Arguments) throws -> Void] = [
    "thumbnail": thumbnail,
    "decode": decode,
    "resize": resize,
    "filter": filter,
    "chain": chain,
    "encode": encode,
    "peak": peak,
    "throughput": throughput,
    "download": download,
    "memory": memory,
    "memoryTrim": memoryTrim,
    "disk": disk,
    "diskTrim": diskTrim,
    "gallery": gallery,
    "gif": gif,
    "startup": startup,
    "load": load,
]

guard let measurement = measurements[arguments.work] else { fail("no measurement \(arguments.work)") }
try measurement(arguments)
