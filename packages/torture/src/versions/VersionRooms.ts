import { RawClient } from "@atrium/api/testing/RawClient"
import { call } from "@atrium/api/testing/RunningService"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"

import { type PlainState, textOf, type VersionReference } from "./RoomReference.ts"
import { rpcs } from "./VersionSource.ts"

/** The versions that may be deployed: two while a deploy is under way. */
export interface DeployedVersions {
  readonly least: number
  readonly most: number
}

/** The service, which may be another one by now, and its project. */
export interface VersionPlace {
  readonly url: () => string
  readonly project: string
  readonly deployed: () => DeployedVersions
  /** The last lines of a room's log. */
  whyClosed(roomId: string): Promise<string>
}

/** A room, and the states that it may have: more than one after a play that nobody has answered. */
export class VersionRoom {
  readonly roomId: string
  readonly #reference: VersionReference
  #candidates: ReadonlyArray<PlainState>
  #plays: number

  constructor(roomId: string, reference: VersionReference, from?: VersionRoom) {
    this.roomId = roomId
    this.#reference = reference
    this.#candidates = from === undefined ? [reference.untouched] : from.#candidates
    this.#plays = from === undefined ? 0 : from.#plays
  }

  nextPlay(): number {
    return ++this.#plays
  }

  /** The states that the room may have on a version. */
  on(version: number, { least, most }: DeployedVersions): ReadonlyArray<PlainState> {
    const states = this.#candidates
      .filter((known) => known.version <= version)
      .flatMap((known) =>
        [least, most].flatMap((deployed) => {
          const woken = this.#reference.ledTo(known, version, deployed)
          return "state" in woken ? [woken.state] : []
        })
      )
    return [...new Map(states.map((state) => [textOf(state), state])).values()]
  }

  /** Whether the room may be refused, as a migration throws for it. */
  mayBeRefused({ least, most }: DeployedVersions): boolean {
    return this.#candidates.some((known) =>
      [least, most].some(
        (deployed) => "refused" in this.#reference.ledTo(known, deployed, deployed)
      )
    )
  }

  /** The states after the play number `n` on a version. The room may have any of them from now on. */
  mayHave(n: number, version: number, deployed: DeployedVersions): ReadonlyArray<PlainState> {
    const after = this.on(version, deployed).map((state) => this.#reference.played(state, n))
    this.#candidates = [...this.#candidates, ...after]
    return after
  }

  /** A durable play was answered: this is stored. */
  has(state: PlainState): void {
    this.#candidates = [state]
  }

  get shown(): string {
    return this.#candidates.map(textOf).join(" or ")
  }
}

/** The answer to a call; `null` = none came, and the call may have happened. */
type Answered = PlainState | null

/** A connection to a room, of the bare protocol: no schema of a client stands in the way of a version. */
export class VersionSeat {
  readonly #raw: RawClient
  #version: number
  #calls = 0
  #over = false

  private constructor(raw: RawClient, version: number) {
    this.#raw = raw
    this.#version = version
    void raw.closed.then(() => (this.#over = true))
  }

  /** Joins a room, or creates one of a type; answers with the refusal where there is one. Rejects where nothing answers. */
  static async join(
    place: VersionPlace,
    roomId: string,
    type: string | null = null
  ): Promise<VersionSeat | string> {
    const { project } = place
    const { body } = await call(place.url(), "/v1/identity", { body: { project } })
    const raw = new RawClient(`${place.url().replace("http", "ws")}/v1/rooms/${project}/${roomId}`)
    const ended = raw.closed.then(({ code, reason }) => [ServerFrame.error, reason, String(code)])
    const first = await Promise.race([raw.hello(String(body["token"]), type), ended])
    if (first[0] === ServerFrame.welcome) return new VersionSeat(raw, Number(first[3]))
    raw.cut()
    return `${String(first[1])}: ${String(first[2])}`
  }

  /** The version of the room, as its last welcome said. */
  get version(): number {
    return this.#version
  }

  get over(): boolean {
    return this.#over
  }

  /** Calls the room. A process that ends meanwhile leaves the call without an answer. */
  async ask(rpc: keyof typeof rpcs, args: unknown = null): Promise<Answered> {
    const id = ++this.#calls
    if (this.#over) return null
    await this.#raw.send([ClientFrame.rpc, id, rpcs[rpc], args])
    const answered = this.#raw.next(
      ([type, answer]) =>
        (type === ServerFrame.rpcResult && answer === id) || type === ServerFrame.welcome
    )
    const frame = await Promise.race([answered, this.#raw.closed.then(() => null)]).catch(
      () => null
    )
    answered.catch(() => undefined)
    if (frame === null) return null
    if (frame[0] === ServerFrame.welcome) {
      this.#version = Number(frame[3])
      return null
    }
    // The room may have been restarted: its refusals say nothing of the play.
    return frame[2] === true ? stateOf(frame[3]) : null
  }

  leave(): Promise<unknown> {
    this.#raw.leave()
    return this.#raw.closed
  }
}

const stateOf = (answer: unknown): PlainState => {
  const { version, core, units } = Object(answer)
  return { version, core, units }
}
