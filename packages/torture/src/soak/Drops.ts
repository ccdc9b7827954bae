import { CloseCodes } from "@atrium/wire/frames/CloseCode"

/** A connection that a client lost. Moments are of `performance.now()`. */
export interface Drop {
  readonly atMs: number
  readonly code: number
  /** `null` = the client did not come back by itself. */
  readonly back: { readonly atMs: number; readonly sameSession: boolean } | null
}

interface Watched {
  readonly sessionId: string
  onDrop(call: (code: number) => void): unknown
  onReconnect(call: () => void): unknown
  onLeave(call: (code: number) => void): unknown
}

/** Keeps account of the connections that a client of a room loses. */
export const watchDrops = (room: Watched, drops: Array<Drop>): void => {
  let { sessionId } = room
  room.onDrop((code) => drops.push({ atMs: performance.now(), code, back: null }))
  room.onReconnect(() => {
    const sameSession = room.sessionId === sessionId
    sessionId = room.sessionId
    const last = drops.pop()
    if (last !== undefined) drops.push({ ...last, back: { atMs: performance.now(), sameSession } })
  })
  room.onLeave((code) => {
    // The client's own leave, or the end of a drop that is known.
    if (code === CloseCodes.normal.code || drops.at(-1)?.back === null) return
    drops.push({ atMs: performance.now(), code, back: null })
  })
}
