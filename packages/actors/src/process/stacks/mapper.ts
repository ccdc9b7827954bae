/**
 * The program that reads source maps: they are the work of tenants, and reading them takes time and
 * memory. It is passed to `node --eval` without its types, may open no file, and ends with its fd 3,
 * whose other end the service holds.
 *
 * A request is a line of JSON, and after it the bytes of a map in base64 if it brings one; it is
 * answered with a line of JSON: an origin or `null` for each place. The last map is kept.
 */
import { closeSync } from "node:fs"
import { SourceMap } from "node:module"
import { Socket } from "node:net"
import os from "node:os"

interface MapperOptions {
  /** The uid and gid to become, when setpriv has not changed them. */
  readonly uid: number | null
  /** Where Node's own file is open; `null` = it was run by its path. */
  readonly nodeDescriptor: number | null
  readonly niceness: number
  readonly originChars: number
}

interface MapRequest {
  /** Bytes of the map that follows; 0 = the places are of the last one. */
  readonly mapBytes: number
  readonly places: ReadonlyArray<readonly [line: number, column: number]>
}

// Written by the service itself.
const options: MapperOptions = JSON.parse(process.argv[1] ?? "{}")

if (options.nodeDescriptor !== null) closeSync(options.nodeDescriptor)
if (options.uid !== null) {
  process.setgroups?.([])
  process.setgid?.(options.uid)
  process.setuid?.(options.uid)
}
// Rooms come first. A service that runs with less priority by itself may not give its programs more.
os.setPriority(Math.max(os.getPriority(), options.niceness))

let map: SourceMap | null = null

const readMap = (base64: Buffer): SourceMap | null => {
  try {
    return new SourceMap(JSON.parse(Buffer.from(base64.toString("latin1"), "base64").toString()))
  } catch {
    return null
  }
}

const originOf = (line: number, column: number): string | null => {
  try {
    const origin = map?.findOrigin(line, column)
    if (origin === undefined || !("fileName" in origin)) return null
    const { fileName }: { readonly fileName: unknown } = origin
    if (typeof fileName !== "string") return null
    const name = withoutDots(fileName)
    if (name.length > options.originChars) return null
    return `${name}:${Number(origin.lineNumber)}:${Number(origin.columnNumber)}`
  } catch {
    return null
  }
}

const withoutDots = (name: string): string => name.replace(/^(?:\.\.?\/)+/, "")

let request: MapRequest | null = null
let chunks: Buffer[] = []
let bytesHeld = 0

const take = (chunk: Buffer): void => {
  chunks.push(chunk)
  bytesHeld += chunk.length
  request ??= readRequest()
  if (request === null || bytesHeld < request.mapBytes) return
  const held = Buffer.concat(chunks)
  if (request.mapBytes > 0) map = readMap(held.subarray(0, request.mapBytes))
  const origins = request.places.map(([line, column]) => originOf(line, column))
  chunks = []
  bytesHeld = 0
  request = null
  socket.write(`${JSON.stringify(origins)}\n`)
}

/** Takes the request's line off what is held. The service sends the next one after the answer. */
const readRequest = (): MapRequest | null => {
  const held = Buffer.concat(chunks)
  const end = held.indexOf("\n")
  chunks = [held.subarray(end + 1)]
  bytesHeld = held.length - end - 1
  // Written by the service itself.
  return end === -1 ? null : JSON.parse(held.toString("utf8", 0, end))
}

const socket = new Socket({ fd: 3, readable: true, writable: true })
socket.on("data", take)
// The service is gone: nobody asks for anything any more.
for (const end of ["end", "error"]) socket.on(end, () => process.exit(0))
socket.write("[]\n")
