import type { AnyRoomSchema } from "@atrium/sdk/schema"
import { ClientFrame, ServerFrame, Subprotocol } from "@atrium/wire/frames/Frame"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"
import { pack, unpack } from "msgpackr"

import { webSocketFrame } from "../WebSocketBytes.ts"
import { LeanSocket } from "./LeanSocket.ts"

/** Gets what comes after the first full state. Bytes are valid within the call only. */
export type Hear = (bytes: Buffer, start: number, end: number) => void

/** A client that has got its first full state. */
export interface Seat {
  readonly socket: LeanSocket
  /** From the start of the connection to the whole first state. */
  readonly joinedAfterMs: number
  /** The part of it since the hello was sent. */
  readonly answeredAfterMs: number
  /** Payload of the frame with the first state. */
  readonly stateBytes: number
  readonly session: Session
}

/** The client's identity in its room; all empty for the reference. */
interface Session {
  readonly id: string
  /** The token that takes the session up again. */
  readonly resume: string
}

/** The player, the room and the schema of a join. */
export interface Joining {
  readonly schema: AnyRoomSchema
  readonly room: string
  readonly player: string
  readonly resume?: string
  readonly from: string
  readonly hear?: Hear
}

/** A server under load, the service or a reference, as the load sees it. */
export interface Server {
  readonly pid: number
  readonly port: number
}

/** Where rooms are joined, and with what. */
export interface JoinPlace extends Server {
  readonly project: string
  credential(player: string): string
}

const joinDeadlineMs = 30_000

interface Opening {
  readonly path: string
  readonly subprotocol: string | null
  /** The frame that is sent at once; `null` = the open socket is all. */
  readonly hello: Buffer | null
  readonly from: string
  readonly hear: Hear
  /** What the first frame says; an error refuses the join. */
  readFirst(bytes: Buffer): Session
}

/** Joins a room of the service as a client that was built with its schema. */
export const joinRoom = (service: JoinPlace, joining: Joining): Promise<Seat> => {
  const { schema, room, player, resume = null, from, hear = ignore } = joining
  const credential = service.credential(player)
  const hello = pack([ClientFrame.hello, credential, schema.type, schemaHash(schema), resume])
  return open(service, {
    path: `/v1/rooms/${service.project}/${room}`,
    subprotocol: Subprotocol,
    hello: webSocketFrame(hello),
    from,
    hear,
    readFirst: (bytes) => {
      const frame: ReadonlyArray<unknown> = unpack(bytes)
      if (frame[0] === ServerFrame.welcome) {
        return { id: String(frame[1]), resume: String(frame[7]) }
      }
      throw new Error(`the join was refused: ${JSON.stringify(frame)}`)
    }
  })
}

/** Joins the reference; with a greeting it answers with its state. */
export const joinRaw = (
  raw: Server,
  joining: { readonly path: string; readonly from: string; readonly hear?: Hear }
): Promise<Seat> =>
  open(raw, {
    path: joining.path,
    subprotocol: null,
    hello: joining.path.startsWith("/join/") ? webSocketFrame(Buffer.alloc(rawHelloBytes)) : null,
    from: joining.from,
    hear: joining.hear ?? ignore,
    readFirst: () => nobody
  })

/** As many bytes as a hello with a credential has. */
const rawHelloBytes = 300

const nobody: Session = { id: "", resume: "" }
const ignore: Hear = () => undefined

const open = (server: Server, opening: Opening): Promise<Seat> => {
  const { path, subprotocol, from, hello } = opening
  return new Promise((resolve, reject) => {
    const startedAtMs = performance.now()
    let helloAtMs = startedAtMs
    let seated = false
    const deadline = setTimeout(() => {
      socket.cut()
      reject(new Error(`${path}: not joined within ${joinDeadlineMs} ms`))
    }, joinDeadlineMs)
    const joined = (stateBytes: number, session: Session): void => {
      seated = true
      clearTimeout(deadline)
      const nowMs = performance.now()
      const spans = { joinedAfterMs: nowMs - startedAtMs, answeredAfterMs: nowMs - helloAtMs }
      resolve({ socket, ...spans, stateBytes, session })
    }
    const socket: LeanSocket = new LeanSocket(
      { port: server.port, path, subprotocol, from },
      {
        opened: () => {
          helloAtMs = performance.now()
          if (hello === null) joined(0, nobody)
          else socket.send(hello)
        },
        message: (bytes, start, end) => {
          if (seated) return opening.hear(bytes, start, end)
          try {
            joined(end - start, opening.readFirst(bytes.subarray(start, end)))
          } catch (error) {
            clearTimeout(deadline)
            reject(error)
          }
        },
        closed: (code) => {
          clearTimeout(deadline)
          if (!seated) reject(new Error(`${path}: the connection was closed with ${code}`))
        }
      }
    )
  })
}
