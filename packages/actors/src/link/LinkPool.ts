import { LinkLimits } from "@atrium/domain/link/LinkLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"

import type { ProtocolVersions } from "../cluster/RunnerProtocol.ts"
import { FlushTogether } from "../process/FlushTogether.ts"
import { type AskedRef, EntryLink, type Forwarding, type RemoteSeat } from "./EntryLink.ts"
import { EntryHandshake, RoomHandshake } from "./LinkHandshake.ts"
import type { AskedQuestion } from "./LinkQuestions.ts"
import { LinkSocket, type LinkStream } from "./LinkSocket.ts"
import { type ReachedClient, type ReachedRooms, RoomLink } from "./RoomLink.ts"

/** What a pool of links needs of its runner. */
export interface LinkPoolParts {
  readonly key: Uint8Array
  readonly rooms: ReachedRooms
  readonly versions?: ProtocolVersions | undefined
  /** 32 fresh random bytes. */
  nonce(): Uint8Array
  connect(address: string): LinkStream
  /** Runs something at the end of this turn of the event loop; absent = Node's own does. */
  readonly afterTurn?: ((run: () => void) => void) | undefined
  /** A link that was proven has ended, or one could not be opened. */
  lost(link: LostLink): void
}

export interface LostLink {
  /** `null` = the other runner had opened it. */
  readonly address: string | null
  readonly proven: boolean
  readonly why: string
}

/** Figures of all links of a runner. */
export interface LinkFigures {
  /** Links that are proven now, of both directions. */
  readonly open: number
  /** Proven links that ended by themselves so far. */
  readonly lost: number
  /** Connections to this runner's link so far that did not prove the key. */
  readonly refused: number
  /** Clients of this runner in rooms of others, now. */
  readonly forwarded: number
  readonly framesIn: number
  readonly framesOut: number
  readonly bytesIn: number
  readonly bytesOut: number
}

interface Opened {
  readonly link: EntryLink
  readonly socket: LinkSocket
}

/** The links of one runner: those that it opens to reach rooms, and those that others have opened to its own. */
export class LinkPool {
  readonly #parts: LinkPoolParts
  readonly #turn: FlushTogether
  readonly #opened = new Map<string, Opened>()
  readonly #accepted = new Map<LinkSocket, RoomLink>()
  readonly #gone = { framesIn: 0, framesOut: 0, bytesIn: 0, bytesOut: 0 }
  #lost = 0
  #refused = 0
  #ending = false

  constructor(parts: LinkPoolParts) {
    this.#parts = parts
    this.#turn = new FlushTogether(() => 0, parts.afterTurn)
  }

  /** The address of the runner that has the room, if a client of this runner is in it. */
  reaching(key: RoomKey): string | null {
    for (const [address, { link }] of this.#opened) if (link.reaches(key)) return address
    return null
  }

  /** Clients of other runners in rooms of this one. */
  reached(): ReadonlyArray<ReachedClient> {
    return [...this.#accepted.values()].flatMap(({ clients }) => clients)
  }

  /** Asks the runner at the address for a seat; the link is opened when there is none. */
  forward(address: string, forwarding: Forwarding): RemoteSeat {
    const { link } = this.#opened.get(address) ?? this.#open(address)
    return link.enter(forwarding)
  }

  /** Asks the runner at the address; the link is opened when there is none. */
  ask(address: string, question: AskedQuestion): AskedRef {
    const { link } = this.#opened.get(address) ?? this.#open(address)
    return link.ask(question)
  }

  #open(address: string): Opened {
    const { key, versions } = this.#parts
    const handshake = new EntryHandshake({ key, nonce: this.#parts.nonce(), versions })
    const link = new EntryLink(handshake, (why) => {
      this.#opened.delete(address)
      this.#ended(socket, { address, why })
    })
    const socket = new LinkSocket(this.#parts.connect(address), this.#turn, link)
    const opened = { link, socket }
    this.#opened.set(address, opened)
    link.open(socket)
    return opened
  }

  /** A peer has connected: it is another runner once it has proven the key. */
  accept(stream: LinkStream): void {
    const unproven = [...this.#accepted.keys()].filter(({ proven }) => !proven).length
    if (this.#ending || unproven >= LinkLimits.linkUnproven.max) return void stream.destroy()
    const { key, versions, rooms } = this.#parts
    const handshake = new RoomHandshake({ key, nonce: this.#parts.nonce(), versions })
    const link = new RoomLink(handshake, rooms, (why) => {
      this.#accepted.delete(socket)
      if (!socket.proven) this.#refused++
      this.#ended(socket, { address: null, why })
    })
    const socket = new LinkSocket(stream, this.#turn, link)
    this.#accepted.set(socket, link)
    link.open(socket)
  }

  #ended(socket: LinkSocket, { address, why }: Omit<LostLink, "proven">): void {
    const { proven } = socket
    for (const name of counted) this.#gone[name] += socket[name]
    if (this.#ending) return
    if (proven) this.#lost++
    this.#parts.lost({ address, proven, why })
  }

  /** Called once per `LinkLimits.linkBeat`. */
  look(): void {
    for (const { link } of this.#opened.values()) link.look()
    for (const socket of this.#sockets()) socket.look()
  }

  /** Ends all links once their last frames have left, and those that take nothing when the signal says so. */
  async end(signal: AbortSignal): Promise<void> {
    this.#ending = true
    const sockets = this.#sockets()
    signal.addEventListener("abort", () => {
      for (const socket of sockets) socket.cutOff()
    })
    await Promise.all(sockets.map((socket) => socket.end()))
  }

  figures(): LinkFigures {
    const sockets = this.#sockets()
    const sum = { ...this.#gone }
    for (const socket of sockets) for (const name of counted) sum[name] += socket[name]
    let forwarded = 0
    for (const { link } of this.#opened.values()) forwarded += link.seats
    return {
      ...sum,
      open: sockets.filter(({ proven }) => proven).length,
      lost: this.#lost,
      refused: this.#refused,
      forwarded
    }
  }

  #sockets(): ReadonlyArray<LinkSocket> {
    const opened = [...this.#opened.values()].map(({ socket }) => socket)
    return [...opened, ...this.#accepted.keys()]
  }
}

const counted = ["framesIn", "framesOut", "bytesIn", "bytesOut"] as const
