import { Client, type ClientRoom, RequestError, SendError } from "@atrium/sdk/client"

import { sleep } from "./load/Tasks.ts"
import { ledger } from "./rooms/ledgerSchema.ts"
import { deploy, type RunningService } from "./RunningService.ts"

type LedgerRoom = ClientRoom<typeof ledger>

/** Between two notes of a player: a steady rate, well within what a connection may send. */
const notesEveryMs = 20

/** Makes the room type `ledger` known beside those that every test project has. */
export const deployLedger = async (service: RunningService): Promise<void> => {
  const files = ["rooms/probe.ts", "rooms/single.ts", "rooms/ledger.ts"]
  const { status, body } = await deploy(service, files)
  if (status !== 201) throw new Error(`the ledger does not deploy: ${JSON.stringify(body)}`)
}

/** Where the players of a ledger find it. */
export interface LedgerPlace {
  readonly url: string
  readonly project: string
}

/**
 * Players who enter numbers into one room at a steady rate. They note the answers in a ledger of their own: the
 * room's ledger must agree with it, even if the room's process, its runner or the database dies meanwhile.
 */
export class LedgerPlay {
  readonly roomId: string
  /** Every number that was ever sent. */
  readonly sent = new Set<number>()
  /** Durable entries that were acknowledged. */
  readonly booked = new Set<number>()
  /** Plain entries that the same process answered before it stored a durable one. */
  readonly stored = new Set<number>()
  /** Codes of the requests that failed. */
  readonly failures = new Set<string>()
  readonly drops: Array<number> = []
  notes = 0
  #rooms: ReadonlyArray<LedgerRoom> = []
  #loops: ReadonlyArray<Promise<void>> = []
  #playing = true
  #next = 1

  constructor(roomId: string) {
    this.roomId = roomId
  }

  get rooms(): ReadonlyArray<LedgerRoom> {
    return this.#rooms
  }

  async start({ url, project }: LedgerPlace, players: number): Promise<void> {
    this.#rooms = await Promise.all(
      Array.from({ length: players }, () =>
        new Client(url, { project }).joinOrCreate(ledger, { roomId: this.roomId })
      )
    )
    this.#loops = this.#rooms.flatMap((room) => this.#play(room))
  }

  /** Lets everything under way be answered, and leaves. */
  async stop(): Promise<void> {
    this.#playing = false
    await Promise.all(this.#loops)
    await Promise.all(this.#rooms.map((room) => room.leave()))
  }

  /** Ends the play with the service that it was on: nothing under way is waited for. */
  abandon(): void {
    this.#playing = false
    for (const room of this.#rooms) void room.leave()
  }

  #play(room: LedgerRoom): ReadonlyArray<Promise<void>> {
    room.onDrop((code) => this.drops.push(code))
    const noted = new Map<number, string>()
    const note = async (): Promise<void> => {
      const n = this.#number()
      const { life } = await room.request("note", { n }).then(answerTo(n))
      noted.set(n, life)
      this.notes++
      await sleep(notesEveryMs)
    }
    const book = async (): Promise<void> => {
      const before = [...noted]
      const n = this.#number()
      const { life } = await room.request("book", { n }).then(answerTo(n))
      this.booked.add(n)
      for (const [told, of] of before) {
        noted.delete(told)
        if (of === life) this.stored.add(told)
      }
    }
    return [this.#repeat(note), this.#repeat(book)]
  }

  #number(): number {
    const n = this.#next++
    this.sent.add(n)
    return n
  }

  async #repeat(turn: () => Promise<void>): Promise<void> {
    while (this.#playing) {
      try {
        await turn()
      } catch (error) {
        // A client that has left may not ask any more.
        if (!this.#playing && error instanceof SendError) return
        if (!(error instanceof RequestError)) throw error
        this.failures.add(error.code)
      }
    }
  }

  /** What the room holds, read by somebody who joins now. */
  async holds({ url, project }: LedgerPlace): Promise<{
    readonly booked: ReadonlyArray<number>
    readonly noted: ReadonlyArray<number>
  }> {
    const room = await new Client(url, { project }).joinById(this.roomId, ledger)
    const numbers = (entries: Iterable<{ readonly n: number }>): ReadonlyArray<number> =>
      [...entries].map(({ n }) => n)
    const held = { booked: numbers(room.state.booked), noted: numbers(room.state.noted) }
    await room.leave()
    return held
  }

  /** Everything in which the room's ledger contradicts the players': empty when it agrees. */
  async contradictions(place: LedgerPlace): Promise<ReadonlyArray<string>> {
    const { booked, noted } = await this.holds(place)
    const all = [...booked, ...noted]
    const missing = (told: ReadonlySet<number>, held: ReadonlyArray<number>, what: string) =>
      [...told.difference(new Set(held))].map((n) => `${what} ${n} is lost`)
    const seen = new Set<number>()
    const twice = all.filter((n) => seen.size === seen.add(n).size)
    return [
      ...missing(this.booked, booked, "the acknowledged entry"),
      ...missing(this.stored, noted, "the stored note"),
      ...all.filter((n) => !this.sent.has(n)).map((n) => `${n} was never sent`),
      ...twice.map((n) => `${n} stands twice`)
    ]
  }
}

const answerTo =
  (n: number) =>
  <Answer extends { readonly n: number }>(answer: Answer): Answer => {
    if (answer.n !== n) throw new Error(`the answer to ${n} is of ${answer.n}`)
    return answer
  }
