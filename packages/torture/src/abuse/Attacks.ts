import { RawSocket } from "@atrium/api/testing/RawSocket"
import { Opcode, requestOf, upgradeLines, webSocketFrame } from "@atrium/api/testing/WebSocketBytes"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { pack, unpack } from "msgpackr"

/** What an attack knows of the service that it is made on. */
export interface Battlefield {
  readonly port: number
  readonly project: string
  /** Join credentials of players of its own. */
  readonly credentials: ReadonlyArray<string>
}

/** How often something happened, by what it was. */
export type Counts = Record<string, number>

export interface Attack {
  readonly name: string
  readonly counts: Counts
  stop(): void
}

const turnMs = 50

/** Where a peer of an attack comes from and what it asks for. */
interface Entrance {
  readonly room: string
  /** An address of the loopback network. */
  readonly from: string
  /** `x-forwarded-for` */
  readonly forwardedFor?: string
  /** Bytes of the request, when it stays half. */
  readonly only?: number
}

interface PeerListener {
  opened?(): void
  frame?(opcode: number, payload: Buffer): void
  ended?(): void
}

/** All that this file knows of an attack that goes on until it is stopped. */
class Running implements Attack {
  readonly name: string
  readonly counts: Counts = {}
  readonly peers = new Set<RawSocket>()
  readonly #timers: Array<NodeJS.Timeout> = []
  #stopped = false

  constructor(name: string) {
    this.name = name
  }

  get stopped(): boolean {
    return this.#stopped
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  /** Adds a peer, and counts what the service says to it. */
  enter(field: Battlefield, entrance: Entrance, listener: PeerListener = {}): RawSocket {
    const { room, from, forwardedFor, only } = entrance
    const peer = new RawSocket({ port: field.port, from })
    this.peers.add(peer)
    peer.hears({
      answered: (status) => {
        if (status === 101) return listener.opened?.()
        this.count(`HTTP ${status}`)
        peer.destroy()
      },
      frame: (first, payload) => {
        const opcode = first & 0x0f
        const code = codeIn(opcode, payload)
        if (code !== null) this.count(code)
        if (opcode === Opcode.close) peer.destroy()
        listener.frame?.(opcode, payload)
      },
      ended: () => {
        peer.destroy()
        this.peers.delete(peer)
        listener.ended?.()
      }
    })
    const forwarded = forwardedFor === undefined ? [] : [`x-forwarded-for: ${forwardedFor}`]
    const path = `/v1/rooms/${field.project}/${room}`
    peer.write(requestOf([...upgradeLines(path), ...forwarded]).subarray(0, only))
    return peer
  }

  every(ms: number, act: () => void): void {
    this.#timers.push(setInterval(act, ms))
  }

  stop(): void {
    this.#stopped = true
    for (const timer of this.#timers) clearInterval(timer)
    for (const peer of this.peers) peer.destroy()
  }
}

const helloOf = (credential: string, type: string): Buffer =>
  pack([ClientFrame.hello, credential, type, null, null])

/** The code of an error frame or of a close frame, if it is one. */
const codeIn = (opcode: number, payload: Buffer): string | null => {
  if (opcode === Opcode.close) return `closed ${payload.length >= 2 ? payload.readUInt16BE(0) : 0}`
  if (opcode !== Opcode.binary) return null
  const frame: unknown = payload[1] === ServerFrame.error ? unpack(payload) : null
  return Array.isArray(frame) ? String(frame[1]) : null
}

/** Connections from one address, far more than it may make. */
export const connectionFlood = (field: Battlefield, perTurn = 10): Attack => {
  const attack = new Running("connection flood")
  attack.every(turnMs, () => {
    for (let count = 0; count < perTurn; count++) {
      attack.count("connections")
      attack.enter(field, { room: "flooded", from: "127.66.0.1" })
    }
  })
  return attack
}

/** Connections that each come from an address of their own, by a proxy's word, with a bad token. */
export const manyAddresses = (field: Battlefield, perTurn = 9): Attack => {
  const attack = new Running("distinct addresses")
  let next = 0
  attack.every(turnMs, () => {
    for (let count = 0; count < perTurn; count++) {
      const n = next++
      attack.count("addresses")
      const peer = attack.enter(
        field,
        {
          room: "flooded",
          from: "127.0.0.1",
          forwardedFor: `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
        },
        { opened: () => peer.send(helloOf("no.such.token", "good")) }
      )
    }
  })
  return attack
}

interface Players {
  /** How many at once, and which of the credentials they have. */
  readonly count: number
  readonly first: number
  readonly room: string
  /** The first host of their addresses: each has one of its own. */
  readonly net: string
  /** Gets each that is in its room. */
  readonly joined: (peer: RawSocket, attack: Running) => void
  /** How long after its end a player is replaced. */
  readonly againMs: number
}

/** Players who join, and do as they are told. */
const players = (name: string, field: Battlefield, of: Players): Running => {
  const attack = new Running(name)
  const enter = (number: number): void => {
    if (attack.stopped) return
    let isIn = false
    const entrance = { room: of.room, from: `${of.net}.${number + 2}` }
    const peer = attack.enter(field, entrance, {
      opened: () => peer.send(helloOf(field.credentials[of.first + number] ?? "", "blast")),
      frame: (opcode, payload) => {
        if (isIn || opcode !== Opcode.binary || payload[1] !== ServerFrame.welcome) return
        isIn = true
        attack.count("joined")
        of.joined(peer, attack)
      },
      ended: () => {
        attack.count("ended")
        // An attacker that is thrown out comes back; once the attack is over it does not.
        setTimeout(() => enter(number), of.againMs)
      }
    })
  }
  for (let number = 0; number < of.count; number++) enter(number)
  return attack
}

/** Players who send eight times as many frames as they may. */
export const frameFlood = (field: Battlefield): Attack => {
  const framesPerTurn = 100
  // A record of one bytes field: its length, then its bytes.
  const frame = webSocketFrame(pack([ClientFrame.msg, sayIndex, Buffer.alloc(65, 64)]))
  const together = Buffer.concat(Array.from({ length: framesPerTurn }, () => frame))
  const flooding = new Set<RawSocket>()
  const attack = players("frame flood", field, {
    count: 10,
    first: 0,
    room: "floods",
    net: "127.66.1",
    againMs: 500,
    joined: (peer) => flooding.add(peer)
  })
  attack.every(turnMs, () => {
    for (const peer of flooding) {
      if (!attack.peers.has(peer)) flooding.delete(peer)
      else {
        attack.counts["frames sent"] = (attack.counts["frames sent"] ?? 0) + framesPerTurn
        peer.write(together)
      }
    }
  })
  return attack
}

/** The place of `say` among the messages of the type `blast`. */
const sayIndex = 1
const giantBytes = 1_500_000

/** Players who send frames of more than the service takes. */
export const giantFrames = (field: Battlefield): Attack => {
  const frame = webSocketFrame(Buffer.alloc(giantBytes))
  return players("giant frames", field, {
    count: 4,
    first: 10,
    room: "giants",
    net: "127.66.2",
    againMs: 250,
    joined: (peer, attack) => {
      attack.count("giant frames")
      peer.write(frame)
    }
  })
}

/** Players of a room that sends much, who read nothing of it. */
export const slowReaders = (field: Battlefield): Attack => {
  const ping = webSocketFrame(new Uint8Array(0), { opcode: Opcode.ping })
  const stalled = new Set<RawSocket>()
  const attack = players("slow readers", field, {
    count: 40,
    first: 20,
    room: "slow",
    net: "127.66.3",
    againMs: 1_000,
    joined: (peer) => {
      peer.pause()
      stalled.add(peer)
    }
  })
  // A client that does not read learns only by a write that its connection is gone.
  attack.every(1_000, () => {
    for (const peer of stalled) {
      if (attack.peers.has(peer)) peer.write(ping)
      else stalled.delete(peer)
    }
  })
  return attack
}

/** Connections that never say what they want, and WebSockets that never say who they are. */
export const halfOpen = (field: Battlefield): Attack => {
  const attack = new Running("half-open")
  const open = (number: number): void => {
    if (attack.stopped) return
    attack.count("connections")
    const host = 2 + (number % 200)
    const entrance = { room: "flooded", from: `127.66.4.${host}` }
    attack.enter(field, number % 4 === 0 ? entrance : { ...entrance, only: 30 }, {
      // The attacker's own pace, on the machine's time: it waits for nothing.
      ended: () => setTimeout(() => open(number), 500)
    })
  }
  for (let number = 0; number < 400; number++) open(number)
  return attack
}

/** Credentials that all attacks together take. */
export const attackers = 80
