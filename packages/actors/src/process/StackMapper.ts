import { SourceMap } from "node:module"

import { BundleFileName } from "./RoomCommand.ts"

const MapComment = Buffer.from("//# sourceMappingURL=")
const Place = new RegExp(`${BundleFileName.replaceAll(".", "\\.")}:(\\d+):(\\d+)`, "g")
/** Frames that say nothing to a game developer: Node's own, boot, and the SDK's runtime. */
const ForeignFrame =
  /^\s+at .*(?:node:|\[eval\d*\]|data:text|sdk(?:@[^/]*)?\/src\/(?:room|codec|schema)\/)/

/** A bundle without its source map, which a room process has no use for, and the map itself. */
export class StackMapper {
  readonly code: Uint8Array
  readonly #comment: Buffer
  #map: SourceMap | null | undefined

  constructor(bundle: Uint8Array) {
    const bytes = Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength)
    const at = bytes.lastIndexOf(MapComment)
    this.code = at === -1 ? bundle : bundle.subarray(0, at)
    this.#comment = at === -1 ? Buffer.alloc(0) : bytes.subarray(at + MapComment.length)
  }

  /** Puts source files and lines into a stack. What cannot be mapped stays as it is; never throws. */
  map(text: string): string {
    if (!text.includes("\n    at ") && !text.includes(BundleFileName)) return text
    try {
      const mapped = text.replace(Place, (found, line, column) => {
        return this.#origin(Number(line), Number(column)) ?? found
      })
      return mapped
        .split("\n")
        .filter((line) => !ForeignFrame.test(line))
        .join("\n")
    } catch {
      return text
    }
  }

  #origin(line: number, column: number): string | null {
    if (this.#map === undefined) this.#map = readMap(this.#comment)
    const origin = this.#map?.findOrigin(line, column)
    if (origin === undefined || !("fileName" in origin)) return null
    return `${origin.fileName.replace(/^(?:\.\.?\/)+/, "")}:${origin.lineNumber}:${origin.columnNumber}`
  }
}

const readMap = (comment: Buffer): SourceMap | null => {
  const [kind, base64] = comment.toString("latin1").trim().split(";base64,")
  if (kind === undefined || !kind.startsWith("data:application/json")) return null
  try {
    return new SourceMap(JSON.parse(Buffer.from(base64 ?? "", "base64").toString("utf8")))
  } catch {
    return null
  }
}
