import type { Listeners } from "./Listeners.ts"

/** The way of voice frames between a room and its call, which is a module of its own. */
export interface VoiceLine {
  /** Sends a frame; nothing is sent while the connection is away. */
  send(frame: Uint8Array<ArrayBuffer>): void
  /** Gets the elements of each voice frame. */
  readonly told: Listeners<[frame: ReadonlyArray<unknown>]>
}

const lines = new WeakMap<object, VoiceLine>()

/** A room tells what `@atrium/sdk/voice` may use of it. */
export const lineTo = (room: object, line: VoiceLine): void => {
  lines.set(room, line)
}

export const voiceLineOf = (room: object): VoiceLine => {
  const line = lines.get(room)
  if (line === undefined) throw new Error("voice: must be a room of @atrium/sdk/client")
  return line
}
