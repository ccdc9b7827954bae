import type { Chance } from "@atrium/api/testing/Chance"
import { requestOf, upgradeLines } from "@atrium/api/testing/WebSocketBytes"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import type { Tally } from "./Tally.ts"
import { Wire } from "./Wire.ts"

/** Where the fuzzed service is, and what lets a client in. */
export interface Stage {
  readonly url: string
  readonly project: string
  /** An identity of the project, and one of another project. */
  readonly token: string
  readonly foreignToken: string
  /** A project whose rooms are hostile. */
  readonly hostileProject: string
  readonly hostileToken: string
}

/** The service did what it must not do. */
export class Unexpected extends Error {
  override readonly name = "Unexpected"
}

/** Tools of one case: its chance, its connections, its expectations. */
export class CaseContext {
  readonly stage: Stage
  readonly chance: Chance
  readonly tally: Tally
  readonly #wires: Wire[] = []

  constructor(stage: Stage, chance: Chance, tally: Tally) {
    this.stage = stage
    this.chance = chance
    this.tally = tally
  }

  /** Counts frames of one kind that went to the service. */
  sent(kind: string, frames = 1): void {
    this.tally.sent("sockets", frames)
    this.tally.count("sent", kind, frames)
  }

  wire(): Wire {
    const wire = new Wire(this.stage.url)
    this.#wires.push(wire)
    return wire
  }

  /** A WebSocket to a room, without a hello. */
  async open(room: string, project = this.stage.project): Promise<Wire> {
    const wire = this.wire()
    wire.write(requestOf(upgradeLines(`/v1/rooms/${project}/${room}`)))
    await this.expect(wire, "an upgrade", () => wire.status !== 0)
    if (wire.status !== 101) throw new Unexpected(`a good upgrade got ${wire.status}`)
    return wire
  }

  /** A client that is in a room of the type of the same name. */
  async join(type: string, room = `${type}-${this.chance.below(3)}`): Promise<Wire> {
    const wire = await this.open(room)
    this.sent("hello")
    wire.send(packValue([ClientFrame.hello, this.stage.token, type]))
    await this.expect(wire, "a welcome", () => wire.frames.length > 0 || wire.closeCode !== null)
    if (wire.frames[0]?.[0] !== ServerFrame.welcome) {
      throw new Unexpected(
        `no welcome to ${room}: ${JSON.stringify(wire.frames)} ${wire.closeCode}`
      )
    }
    return wire
  }

  async expect(wire: Wire, what: string, holds: () => boolean): Promise<void> {
    const held = await wire.until(() => holds() || wire.ended)
    if (wire.broken !== null) throw new Unexpected(`the service sent ${wire.broken}`)
    if (!held || !holds()) {
      const got = `${wire.frames.map((frame) => String(frame[0])).join()} close ${wire.closeCode}`
      throw new Unexpected(`${what} did not come${wire.ended ? ": cut off" : ""}; got ${got}`)
    }
  }

  /** Waits for the close frame, and demands one of these codes. */
  async closes(wire: Wire, ...codes: ReadonlyArray<number>): Promise<void> {
    await this.expect(wire, `close ${codes.join(" or ")}`, () => wire.closeCode !== null)
    const code = wire.closeCode ?? 0
    if (!codes.includes(code))
      throw new Unexpected(`close ${code} instead of ${codes.join(" or ")}`)
    this.tally.count("close", String(code))
  }

  /** Demands that the connection works: a ping of the protocol comes back as it was. */
  async answers(wire: Wire): Promise<void> {
    const nonce = this.chance.below(0xffff_ffff)
    this.sent("ping")
    wire.send(packValue([ClientFrame.ping, nonce]))
    const isPong = (frame: ReadonlyArray<unknown>): boolean =>
      frame[0] === ServerFrame.pong && frame[1] === nonce
    await this.expect(wire, "a pong", () => wire.frames.some(isPong))
  }

  /** Counts the error frames of a connection, so that the codes that were reached are seen. */
  countErrors(wire: Wire): void {
    for (const [type, first, second, third] of wire.frames) {
      if (type === ServerFrame.error) this.tally.count("error", String(first))
      if (type === ServerFrame.rpcResult && second === false && Array.isArray(third)) {
        this.tally.count("rpc refused", String(third[0]))
      }
    }
  }

  /** Ends what is open; the service must notice by itself. */
  async over(): Promise<void> {
    for (const wire of this.#wires) {
      if (wire.broken !== null) throw new Unexpected(`the service sent ${wire.broken}`)
      this.countErrors(wire)
      if (wire.closeCode === null && wire.status === 101 && this.chance.one(2)) {
        wire.send(Buffer.from([0x03, 0xe8]), { opcode: 8 })
        await wire.until(() => wire.ended, 2_000)
      }
      wire.destroy()
    }
  }
}
