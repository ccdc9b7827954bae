import { ConditionWait } from "@atrium/api/testing/ConditionWait"
import { RawSocket } from "@atrium/api/testing/RawSocket"
import { Opcode } from "@atrium/api/testing/WebSocketBytes"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { KiB } from "@atrium/wire/limits/Limit"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"

const AnswerMs = 20_000

/** A raw connection to the service that keeps what it reads, and what the service must never send. */
export class Wire extends RawSocket {
  /** HTTP status of the answer, 0 while there is none. */
  status = 0
  /** Frames of the protocol that came, and WebSocket pongs. */
  readonly frames: Array<ReadonlyArray<unknown>> = []
  readonly pongs: Buffer[] = []
  /** Code of the close frame; 1005 = it had none, `null` = none came. */
  closeCode: number | null = null
  /** The words for something that the service must never send; `null` = it sent nothing such. */
  broken: string | null = null
  /** The room is hostile too: what it sends its clients is its own affair. */
  roomIsHostile = false
  readonly #wait = new ConditionWait()

  constructor(serviceUrl: string) {
    const { hostname: host, port } = new URL(serviceUrl)
    super({ host, port: Number(port) })
    this.hears({
      answered: (status) => (this.status = status),
      frame: (first, payload) => this.#take(first, payload),
      changed: () => this.#wait.changed(),
      ended: () => this.#wait.changed()
    })
  }

  /** `false` when it is not so within the time. */
  until(holds: () => boolean, withinMs = AnswerMs): Promise<boolean> {
    return this.#wait.until(holds, withinMs)
  }

  #take(first: number, payload: Buffer): void {
    const opcode = first & 0x0f
    if (this.closeCode !== null) this.broken = "something after the close frame"
    if (opcode === Opcode.pong) this.pongs.push(payload)
    else if (opcode === Opcode.close) {
      this.closeCode = payload.length < 2 ? 1005 : payload.readUInt16BE(0)
    } else if (first === (0x80 | Opcode.binary)) {
      const frame = frameIn(payload)
      if (frame === null && this.roomIsHostile) this.frames.push([])
      else if (frame === null)
        this.broken = `a message that is no frame: ${payload.toString("hex")}`
      else this.frames.push(frame)
    } else if (opcode === Opcode.ping) this.send(payload, { opcode: Opcode.pong })
    else this.broken = `a frame that begins with ${first}`
  }
}

/** A frame of the service; of a pong the bytes may be any, as they are the client's own. */
const frameIn = (payload: Buffer): ReadonlyArray<unknown> | null => {
  if (payload[1] === ServerFrame.pong && payload.length > 64 * KiB) return [ServerFrame.pong]
  return arrayOf(payload) ?? (payload[1] === ServerFrame.pong ? [ServerFrame.pong] : null)
}

/** The elements of a frame, or `null` when the bytes are none. */
export const arrayOf = (bytes: Uint8Array): ReadonlyArray<unknown> | null => {
  try {
    const value = unpackValue(bytes)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
