import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"

/** The first frame of a client, read. Source: D-24. */
export interface Hello {
  readonly token: string
  readonly type: string | null
  readonly schemaHash: string | null
  readonly resume: string | null
  readonly options: unknown
}

const isText = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === "string"

/** @returns the hello, or `null` when the bytes are anything else */
export const readHello = (bytes: Uint8Array): Hello | null => {
  if (bytes.length > ConnectionLimits.helloBytes.max) return null
  const frame = readFrame(bytes)
  if (frame === null || frame[0] !== ClientFrame.hello) return null
  const [, token, type, schemaHash, resume, options] = frame
  if (typeof token !== "string" || !isText(type) || !isText(schemaHash) || !isText(resume)) {
    return null
  }
  return {
    token,
    type: type ?? null,
    schemaHash: schemaHash ?? null,
    resume: resume ?? null,
    options: options ?? null
  }
}

/** The text of a chat frame, or `null` when it is none. */
export const readChat = (bytes: Uint8Array): string | null => {
  const text = readFrame(bytes)?.[1]
  return typeof text === "string" ? text : null
}

/** Never throws: a client's bytes prove nothing. */
const readFrame = (bytes: Uint8Array): ReadonlyArray<unknown> | null => {
  try {
    const frame: unknown = unpackValue(bytes)
    return Array.isArray(frame) ? frame : null
  } catch {
    return null
  }
}
