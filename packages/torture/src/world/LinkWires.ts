import type { LinkStream } from "@atrium/actors/link/LinkSocket"
import type { Chance } from "@atrium/api/testing/Chance"

import type { Host } from "./Host.ts"
import type { Timeline } from "./Timeline.ts"

/** Bytes that are held back are tried again after so long. */
const retryMs = 50

/** One runner, as an end of a connection. */
interface Place {
  readonly host: Host
  readonly address: string
}

interface Listener extends Place {
  accept(stream: LinkStream): void
}

interface Parts {
  readonly timeline: Timeline
  readonly chance: Chance
  /** No other runner reaches this one. */
  isCut(address: string): boolean
}

type Sent = Buffer | "end"

/** The connections of links between the runners of a world. Bytes keep their order, whatever happens. */
export class LinkWires {
  readonly #parts: Parts
  readonly #listeners = new Map<string, Listener>()
  #wires: Array<Wire> = []
  /** Hosts that went with their machine: nobody says that their connections have ended. */
  readonly #silent = new Set<Host>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  listen(listener: Listener): void {
    this.#listeners.set(listener.address, listener)
  }

  /** Connections that both ends have, oldest first. */
  get open(): ReadonlyArray<Wire> {
    this.#wires = this.#wires.filter(({ isOpen }) => isOpen)
    return this.#wires.filter(({ isAccepted }) => isAccepted)
  }

  /** Called before the host dies with its machine. */
  silence(host: Host): void {
    this.#silent.add(host)
  }

  connect(from: Place, address: string): LinkStream {
    const wire = new Wire(this.#parts, from, address)
    this.#wires.push(wire)
    from.host.onDeath(() => this.#died(wire, from.host))
    wire.open(() => this.#accept(wire))
    return wire.near
  }

  #accept(wire: Wire): void {
    const listener = this.#listeners.get(wire.address)
    if (listener === undefined || listener.host.dead) {
      // A machine that is gone does not refuse either.
      if (listener === undefined || !this.#silent.has(listener.host)) wire.refuse()
      return
    }
    const far = wire.accept(listener.host)
    listener.host.onDeath(() => this.#died(wire, listener.host))
    listener.host.after(0, () => listener.accept(far))
  }

  #died(wire: Wire, host: Host): void {
    if (this.#silent.has(host)) wire.vanish(host)
    else wire.reset(host)
  }

  mend(): void {
    for (const wire of this.#wires) wire.holdFor(0)
  }
}

/** One connection. */
export class Wire {
  readonly near: End
  readonly address: string
  readonly #parts: Parts
  readonly #from: string
  #far: End | null = null
  #heldUntilMs = 0

  constructor(parts: Parts, from: Place, address: string) {
    this.#parts = parts
    this.#from = from.address
    this.address = address
    this.near = new End(this, from.host)
  }

  get name(): string {
    return `${this.#from} to ${this.address}`
  }

  get isOpen(): boolean {
    return !this.near.closed || this.#far?.closed === false
  }

  get isAccepted(): boolean {
    return this.#far !== null
  }

  /** Nothing arrives for so long; what was sent arrives afterwards. */
  holdFor(ms: number): void {
    this.#heldUntilMs = this.#parts.timeline.machineMs + ms
  }

  get #isHeld(): boolean {
    const { timeline, isCut } = this.#parts
    return timeline.machineMs < this.#heldUntilMs || isCut(this.#from) || isCut(this.address)
  }

  travelMs(): number {
    return 1 + this.#parts.chance.below(3)
  }

  get nowMs(): number {
    return this.#parts.timeline.machineMs
  }

  /** Asks the other end to take the connection; what is sent meanwhile comes after that. */
  open(accept: () => void): void {
    const travelMs = this.travelMs()
    this.near.arrivesAtMs = this.nowMs + travelMs
    this.reach(accept, travelMs)
  }

  /** Runs when something of the connection gets through. */
  reach(arrive: () => void, afterMs: number): void {
    this.#parts.timeline.after(afterMs, () => {
      if (this.#isHeld) this.reach(arrive, retryMs)
      else arrive()
    })
  }

  accept(host: Host): End {
    const far = new End(this, host)
    this.#far = far
    far.peer = this.near
    this.near.peer = far
    return far
  }

  refuse(): void {
    this.near.fail("the connection is refused")
  }

  /** It breaks: both ends hear of that. */
  break(): void {
    for (const end of this.#ends) end.host.after(0, () => end.came("end"))
  }

  /** The process at one end has died: its kernel ends the connection. */
  reset(host: Host): void {
    for (const end of this.#ends) if (end.host === host) end.destroy()
  }

  /** The machine at one end is gone: the other one hears nothing. */
  vanish(host: Host): void {
    for (const end of this.#ends) if (end.host === host) end.closed = true
  }

  get #ends(): ReadonlyArray<End> {
    return this.#far === null ? [this.near] : [this.near, this.#far]
  }
}

/** One end of a connection. */
class End implements LinkStream {
  readonly host: Host
  readonly #wire: Wire
  readonly #onData: Array<(chunk: Buffer) => void> = []
  readonly #onError: Array<(error: Error) => void> = []
  readonly #onClose: Array<() => void> = []
  /** Sent and not arrived, oldest first. */
  readonly #underWay: Array<Sent> = []
  /** When the last of it arrives. */
  arrivesAtMs = 0
  peer: End | null = null
  closed = false

  constructor(wire: Wire, host: Host) {
    this.#wire = wire
    this.host = host
  }

  on(event: "data" | "error", listener: ((chunk: Buffer) => void) & ((error: Error) => void)) {
    if (event === "data") this.#onData.push(listener)
    else this.#onError.push(listener)
  }

  once(_event: "close", listener: () => void): void {
    this.#onClose.push(listener)
  }

  get writableLength(): number {
    return 0
  }

  write(bytes: Buffer): void {
    if (!this.closed) this.#send(bytes)
  }

  #send(sent: Sent): void {
    this.#underWay.push(sent)
    const atMs = Math.max(this.arrivesAtMs, this.#wire.nowMs + this.#wire.travelMs())
    this.arrivesAtMs = atMs
    this.#wire.reach(() => this.#arrives(), atMs - this.#wire.nowMs)
  }

  /** The oldest arrives, whichever this arrival was meant for. */
  #arrives(): void {
    const { peer } = this
    if (peer === null) {
      // The connection was held back on its way to the other end.
      if (!this.closed) this.#wire.reach(() => this.#arrives(), retryMs)
      return
    }
    const sent = this.#underWay.shift()
    if (sent !== undefined) peer.host.after(0, () => peer.came(sent))
  }

  /** Something has come from the other end. */
  came(sent: Sent): void {
    if (this.closed) return
    if (sent === "end") return this.#close()
    for (const listener of this.#onData) listener(sent)
  }

  fail(message: string): void {
    this.host.after(0, () => {
      if (this.closed) return
      for (const listener of this.#onError) listener(new Error(message))
      this.#close()
    })
  }

  #close(): void {
    this.closed = true
    for (const listener of this.#onClose.splice(0)) listener()
  }

  end(sent: () => void): void {
    this.#end()
    this.host.after(0, sent)
  }

  destroy(): void {
    this.#end()
  }

  #end(): void {
    if (this.closed) return
    this.#send("end")
    this.closed = true
    this.host.after(0, () => this.#close())
  }
}
