import { isSuccess } from "../../check/Answers.ts"
import { brought, same } from "../../check/Expect.ts"
import type { Meter } from "../../codec/Codecs.ts"
import type { Project } from "../../trial/Project.ts"
import { roomStage, type RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { refusedJoin } from "../RefusedJoin.ts"

/** What a project has of a meter. */
export interface Cap {
  readonly allowance: number
  readonly state: unknown
}

/** A project with rooms, whose plan, uses and ceilings the check sets. */
export class CapStage {
  readonly rooms: RoomStage
  readonly #trial: Trial

  private constructor(trial: Trial, rooms: RoomStage) {
    this.#trial = trial
    this.rooms = rooms
  }

  static async of(trial: Trial, tier: "free" | "card"): Promise<CapStage> {
    const rooms = await roomStage(trial)
    await trial.control.plan(rooms.project.id, tier)
    return new CapStage(trial, rooms)
  }

  uses(meter: Meter, used: number): Promise<void> {
    return this.#trial.control.meter(this.rooms.project.id, { meter, used })
  }

  async ceiling(meter: Meter, ceiling: number | null): Promise<void> {
    const body = this.#trial.codecs.capsBody({ [meter]: ceiling })
    isSuccess(await this.rooms.project.ask("/caps", { method: "PATCH", body }))
  }

  cap(meter: Meter): Promise<Cap> {
    return capOf(this.rooms.project, meter)
  }

  /** Somebody new comes into the room, which is made or woken if need be, and leaves again. */
  async takes(room: string): Promise<void> {
    await (await this.rooms.client(room)).leave()
  }

  /** A join is refused at a wall. The message names the meter, by our choice. */
  async refuses(room: string, meter: Meter): Promise<void> {
    const socket = await this.rooms.socket(room)
    const { code, close } = await refusedJoin(socket)
    const texts = socket.errors().map(({ message }) => message)
    this.#trial.chosen("D-45", () => {
      same(`a join of ${room}`, { code, close }, { code: "E_CAP_REACHED", close: 4402 })
      for (const text of texts) same("the meter that is named", text.split(":")[0], meter)
    })
  }
}

/** Where a project stands against the cap of a meter. */
export const capOf = async (project: Project, meter: Meter): Promise<Cap> => {
  const answer = await project.ask("/caps")
  const { allowance, state } = Object(Object(Object(answer.json)["meters"])[meter])
  const cap = typeof allowance === "number" ? { allowance, state } : null
  return brought(`the allowance of ${meter}`, answer, cap)
}

/** A check's run with a project of this plan. */
export const withCaps =
  (tier: "free" | "card", run: (stage: CapStage, trial: Trial) => Promise<void>) =>
  async (trial: Trial): Promise<void> =>
    run(await CapStage.of(trial, tier), trial)
