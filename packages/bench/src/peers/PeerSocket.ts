import { LeanSocket } from "@atrium/api/testing/load/LeanSocket"
import type { Hear, Seat, Server } from "@atrium/api/testing/load/RoomSeat"

type Session = Seat["session"]

/** What a client says and hears until it has its seat. A session seats it. */
export interface Greeting {
  readonly path: string
  text?(text: string, socket: LeanSocket): Session | null
  binary?(bytes: Buffer, socket: LeanSocket): Session | null
}

/** The means of a client once it has its seat. */
interface Seated {
  readonly from: string
  readonly hear: Hear
  /** Text that comes later. */
  text?(text: string, socket: LeanSocket): void
}

const joinDeadlineMs = 30_000

export const nobody: Session = { id: "", resume: "" }

/** Opens the socket of a peer's client. @param startedAtMs when the join began */
export const openPeer = (
  server: Server,
  greeting: Greeting,
  { startedAtMs, seated }: { readonly startedAtMs: number; readonly seated: Seated }
): Promise<Seat> => {
  const { path } = greeting
  return new Promise((resolve, reject) => {
    let isSeated = false
    let openedAtMs = startedAtMs
    const deadline = setTimeout(() => {
      socket.cut()
      reject(new Error(`${path}: not joined within ${joinDeadlineMs} ms`))
    }, joinDeadlineMs)
    const look = (session: Session | null | undefined, stateBytes: number): void => {
      if (session === null || session === undefined) return
      isSeated = true
      clearTimeout(deadline)
      const nowMs = performance.now()
      const spans = { joinedAfterMs: nowMs - startedAtMs, answeredAfterMs: nowMs - openedAtMs }
      resolve({ socket, ...spans, stateBytes, session })
    }
    const socket: LeanSocket = new LeanSocket(
      { port: server.port, path, subprotocol: null, from: seated.from },
      {
        opened: () => {
          openedAtMs = performance.now()
        },
        message: (bytes, start, end) => {
          if (isSeated) return seated.hear(bytes, start, end)
          look(greeting.binary?.(bytes.subarray(start, end), socket), end - start)
        },
        text: (bytes, start, end) => {
          if (isSeated && seated.text === undefined) return
          const text = bytes.toString("utf8", start, end)
          if (isSeated) seated.text?.(text, socket)
          else look(greeting.text?.(text, socket), end - start)
        },
        closed: (code) => {
          clearTimeout(deadline)
          if (!isSeated) reject(new Error(`${path}: the connection was closed with ${code}`))
        }
      }
    )
  })
}
