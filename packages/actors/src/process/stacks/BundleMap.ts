import { LogLimits } from "@atrium/domain/logs/LogLimits"

const MapComment = Buffer.from("//# sourceMappingURL=")
const MapType = "data:application/json"
const Base64Mark = ";base64,"
/** The mark of the encoding stands within so many bytes. */
const HeadBytes = 128
const Newline = 0x0a
const Padding = 0x3d

/** A bundle without its source map, which a room process has no use for, and the map. */
export interface BundleParts {
  readonly code: Uint8Array
  /** The map in base64, a view of the bundle; `null` = none, or one that is not read. */
  readonly map: Uint8Array | null
}

/**
 * Takes the source map off a bundle: a comment that is its last line. Only the ends of lines are
 * looked for, and nothing is decoded: a tenant wrote these bytes.
 */
export const splitBundle = (bundle: Uint8Array): BundleParts => {
  const bytes = Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength)
  const end = bytes.at(-1) === Newline ? bytes.length - 1 : bytes.length
  const lineAt = bytes.subarray(0, end).lastIndexOf(Newline) + 1
  const addressAt = lineAt + MapComment.length
  if (!bytes.subarray(lineAt, addressAt).equals(MapComment)) return { code: bundle, map: null }
  return { code: bundle.subarray(0, lineAt), map: base64In(bytes.subarray(addressAt, end)) }
}

const base64In = (address: Buffer): Uint8Array | null => {
  const head = address.toString("latin1", 0, HeadBytes)
  const mark = head.indexOf(Base64Mark)
  if (mark === -1 || !head.startsWith(MapType)) return null
  const base64 = address.subarray(mark + Base64Mark.length)
  return decodedBytes(base64) > LogLimits.sourceMapBytes.max ? null : base64
}

const decodedBytes = (base64: Buffer): number => {
  const padding = [base64.at(-1), base64.at(-2)].filter((byte) => byte === Padding).length
  return Math.floor(((base64.length - padding) * 3) / 4)
}
