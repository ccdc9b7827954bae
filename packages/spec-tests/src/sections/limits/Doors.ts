import { isSuccess } from "../../check/Answers.ts"
import { same, Mismatch } from "../../check/Expect.ts"
import { type Outcome, taken, isTaken } from "../../families/Outcome.ts"
import { headersFrom, freshAddress } from "../../trial/Addresses.ts"
import { board, relayStage } from "../../trial/RelayStage.ts"
import { type RoomSocket, JoinRefused } from "../../trial/RoomSocket.ts"
import { type RoomStage, roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { Refused, Bucket } from "../Row.ts"
import { rowOf } from "../Section.ts"

export const connections = () => rowOf("bucket", "limits.connections.burst")

/** So many that no limit of connections is met: joins are what is counted. T-121. */
export const manyConnections = { connectionsPerIpPerMin: 100_000 }

/** Joins of a stage's rooms from named addresses. */
export class Doors {
  readonly stage: RoomStage
  readonly #trial: Trial
  readonly #type: string

  /** @param type that of the rooms, where none is named */
  constructor(trial: Trial, stage: RoomStage, type = "probe") {
    this.#trial = trial
    this.stage = stage
    this.#type = type
  }

  socket(room: string, from: string): Promise<RoomSocket> {
    const headers = headersFrom(this.#trial, from)
    return this.#trial.socket({ project: this.stage.project, room, headers })
  }

  /** Comes in and leaves again. */
  async visit(room: string, from: string, type = this.#type): Promise<Outcome> {
    const refused = await this.refusal(room, { from, type })
    return refused === null ? taken : { taken: false, refused }
  }

  /** How a join is refused; `null` = it was let in, and has left. */
  async refusal(
    room: string,
    { from, type }: { readonly from: string; readonly type: string }
  ): Promise<Refused | null> {
    try {
      const client = await this.socket(room, from)
      await client.join({ type })
      await client.leave()
      return null
    } catch (cause) {
      if (!(cause instanceof JoinRefused)) throw cause
      const { code, close } = cause
      const { close: ours } = connections().outcome
      this.#trial.chosen("D-24", () => same("the close code", close, ours))
      // Looked at just now, as it is not the specification's.
      return ours === undefined ? { code } : { code, close: ours }
    }
  }

  /** Makes a room that is down again when it has been visited, so that none is in another's way. */
  async make(room: string, from: string): Promise<Outcome> {
    const outcome = await this.visit(room, from)
    if (outcome.taken && !this.#isRelay) await this.stage.remove(room, "?force=true")
    return outcome
  }

  /** A room that stays up for as long as the check does. */
  async keepUp(room: string): Promise<void> {
    const witness = await this.socket(room, freshAddress())
    await witness.join({ type: this.#type })
  }

  /** A room that was played in, and sleeps. */
  async putToSleep(room: string): Promise<void> {
    isTaken(room, await this.visit(room, freshAddress()))
    await this.stage.asleep(room)
  }

  get #isRelay(): boolean {
    return this.#type === board.type
  }
}

export const set = async (stage: RoomStage, settings: object): Promise<void> => {
  const { name } = stage.project
  isSuccess(await stage.project.ask("", { method: "PATCH", body: { name, ...settings } }))
}

/** A room that stays up, on a server that started with these settings. */
export const doorsOf = async (trial: Trial, settings: object | null = null): Promise<Doors> => {
  const stage = await roomStage(trial)
  if (settings !== null) await set(stage, settings)
  const doors = new Doors(trial, stage)
  await doors.keepUp("one")
  return doors
}

/** The same for joins in great number: a room without code is soon made and joined. */
export const lightDoorsOf = async (
  trial: Trial,
  settings: object | null = null
): Promise<Doors> => {
  if (!trial.config.features.includes("relay")) return doorsOf(trial, settings)
  const stage = await relayStage(trial)
  if (settings !== null) await set(stage, settings)
  const doors = new Doors(trial, stage, board.type ?? undefined)
  await doors.keepUp("one")
  return doors
}

/** How many are let in at once before the first that is not. */
export const countUntil = async (row: Bucket, ask: () => Promise<Outcome>): Promise<number> => {
  for (let count = 0; count <= 2 * row.burst; count++) {
    const outcome = await ask()
    if (outcome.taken) continue
    same(`${row.ids[0]}: the refusal`, outcome.refused.code, row.outcome.code)
    return count
  }
  throw new Mismatch(row.ids[0], { expected: "a refusal", actual: `${2 * row.burst} are taken` })
}
