import { Chance } from "@atrium/api/testing/Chance"
import { sleep } from "@atrium/api/testing/load/Tasks"
import { Client, type ClientRoom, RequestError } from "@atrium/sdk/client"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { WebSocket } from "ws"

import { type Drop, watchDrops } from "./Drops.ts"
import type { Attempt, CallKind } from "./Ledger.ts"
import { ledger } from "./rooms/soakSchema.ts"

interface Place {
  readonly url: string
  readonly project: string
  readonly roomId: string
  /** Without durable calls the room is stored only as often as it must be. */
  readonly durable: boolean
  /** Between two calls. */
  readonly pauseMs?: { readonly least: number; readonly most: number }
}

interface Wanted {
  readonly seq: number
  readonly kind: CallKind
}

type OwnAttempt = { -readonly [K in keyof Attempt]: Attempt[K] }

/** Calls that one client has under way at a time. */
const window = 4
const answerWithinMs = 4000
const usualPauseMs = { least: 20, most: 120 }
const rejoinMs = 200

/**
 * A player who writes into a room's ledger and keeps account of it: what was asked, what was
 * acknowledged, and when. What was not acknowledged is asked again, under the same number.
 */
export class LedgerClient {
  readonly roomId: string
  readonly #number: number
  readonly #durable: boolean
  readonly #client: Client
  readonly #sockets = new Set<WebSocket>()
  readonly #chance
  readonly #pauseMs
  readonly #attempts: Array<OwnAttempt> = []
  readonly #drops: Array<Drop> = []
  readonly #refusals = new Map<string, number>()
  #again: Array<Wanted> = []
  #underWay = 0
  #lastSeq = 0
  #room: ClientRoom<typeof ledger> | null = null

  constructor(number: number, place: Place) {
    const sockets = this.#sockets
    this.#number = number
    this.#durable = place.durable
    this.roomId = place.roomId
    this.#pauseMs = place.pauseMs ?? usualPauseMs
    this.#chance = Chance.of(0, place.roomId, number)
    this.#client = new Client(place.url, {
      project: place.project,
      webSocket: class extends WebSocket {
        constructor(url: string, protocols: string) {
          super(url, protocols)
          sockets.add(this)
          this.on("close", () => sockets.delete(this))
        }
      }
    })
  }

  get attempts(): ReadonlyArray<Attempt> {
    return this.#attempts
  }

  get drops(): ReadonlyArray<Drop> {
    return this.#drops
  }

  /** How often each code came in place of an answer. */
  get refusals(): ReadonlyMap<string, number> {
    return this.#refusals
  }

  /** The network takes the connection away. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate()
  }

  /** Goes on until it is over and everything is acknowledged, or until it must give up. */
  async work(until: { readonly isOver: () => boolean; readonly mustStop: () => boolean }) {
    const done = (): boolean =>
      until.mustStop() || (until.isOver() && this.#underWay === 0 && this.#again.length === 0)
    while (!done()) {
      const room = await this.#join().catch((error: unknown) => this.#refused(error))
      if (room === undefined) await sleep(rejoinMs)
      else await this.#play(room, { done, isOver: until.isOver })
    }
  }

  /** Lets go of the room. */
  async leave(): Promise<void> {
    await this.#room?.leave()
  }

  async #join(): Promise<ClientRoom<typeof ledger>> {
    this.#room = await this.#client.joinOrCreate(ledger, { roomId: this.roomId })
    watchDrops(this.#room, this.#drops)
    return this.#room
  }

  async #play(
    room: ClientRoom<typeof ledger>,
    ask: { readonly done: () => boolean; readonly isOver: () => boolean }
  ): Promise<void> {
    let left = false
    room.onLeave((code) => {
      left = true
      // 1000 is the client's own leave.
      if (code !== CloseCodes.normal.code) this.#count(`close ${code}`)
    })
    const { least, most } = this.#pauseMs
    while (!left && !ask.done()) {
      const wanted = this.#next(ask.isOver())
      if (wanted !== null) this.#send(room, wanted)
      await sleep(least + this.#chance.below(most - least))
    }
  }

  #next(over: boolean): Wanted | null {
    const again = this.#again.shift()
    if (again !== undefined) return again
    if (over || this.#underWay >= window) return null
    this.#lastSeq += 1
    return { seq: this.#lastSeq, kind: this.#kind() }
  }

  #kind(): CallKind {
    const chance = this.#chance.share()
    if (chance < 0.2) return "message"
    return this.#durable && chance < 0.7 ? "durable" : "plain"
  }

  #send(room: ClientRoom<typeof ledger>, wanted: Wanted): void {
    const attempt: OwnAttempt = {
      ...wanted,
      client: this.#number,
      ticket: this.#attempts.length + 1,
      sentAtMs: performance.now(),
      answer: null
    }
    this.#attempts.push(attempt)
    const { client, seq, ticket, kind } = attempt
    if (kind === "message") {
      try {
        room.send("note", { client, seq, ticket })
      } catch (error) {
        this.#refused(error)
      }
      return
    }
    this.#underWay += 1
    room.request(kind, { client, seq, ticket }, { timeoutMs: answerWithinMs }).then(
      ({ boot }) => {
        this.#underWay -= 1
        attempt.answer = { atMs: performance.now(), boot }
      },
      (error: unknown) => {
        this.#underWay -= 1
        this.#refused(error)
        this.#again = [...this.#again, wanted].toSorted((one, other) => one.seq - other.seq)
      }
    )
  }

  #refused(error: unknown): undefined {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
    this.#count(error instanceof RequestError ? code : `join ${code}`)
    return undefined
  }

  #count(code: string): void {
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1)
  }
}
