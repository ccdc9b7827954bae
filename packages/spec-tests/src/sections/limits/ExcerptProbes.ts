import { same } from "../../check/Expect.ts"
import { isRefusedAs, isTaken, type Outcome } from "../../families/Outcome.ts"
import { tried } from "../../trial/ReplayStage.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { rowOf } from "../Section.ts"
import { secondMs } from "../Units.ts"
import { type ProbeMaker, sizedReplay, timedReplay } from "./ReplayChecks.ts"

const window = (fromMs: number, toMs = 0) => ({ fromMs, toMs })

export const excerptWindow: ProbeMaker = () =>
  timedReplay("an excerpt of 30 s is taken; one of 30.001 s is refused", async (stage, trial) => {
    const { accept, refuse, outcome } = rowOf("boundary", "replay.excerpt.window")
    const client = await stage.client("plays")
    await stage.play(client, 40 * secondMs)
    isTaken("at it", await tried(client, "excerpt", window(-accept)))
    isRefusedAs(trial, "past it", { got: await tried(client, "excerpt", window(-refuse)), outcome })
  })

/** A burst of excerpts, each of the last moment. */
const excerpts = (client: RoomSocket, count: number): Promise<ReadonlyArray<Outcome>> =>
  Promise.all(Array.from({ length: count }, () => tried(client, "excerpt", window(-1))))

const takenOf = (outcomes: ReadonlyArray<Outcome>): number =>
  outcomes.filter(({ taken }) => taken).length

export const excerptBurst: ProbeMaker = () =>
  timedReplay("four excerpts are taken at once; the fifth is refused", async (stage, trial) => {
    const { burst, outcome } = rowOf("bucket", "replay.excerpt.concurrent")
    const client = await stage.client("plays")
    await stage.play(client, 10 * secondMs)
    const outcomes = await excerpts(client, burst + 1)
    same("taken", takenOf(outcomes), burst)
    const got = outcomes.find(({ taken }) => !taken)
    if (got !== undefined) isRefusedAs(trial, "the fifth", { got, outcome })
  })

export const excerptRate: ProbeMaker = () =>
  timedReplay("after them one more is taken each second", async (stage, trial) => {
    const { burst, rate, perMs, outcome } = rowOf("bucket", "replay.excerpt.concurrent")
    const client = await stage.client("plays")
    await stage.play(client, 10 * secondMs)
    same("at once", takenOf(await excerpts(client, burst)), burst)
    await trial.control.advance(perMs - 1)
    isRefusedAs(trial, "early", { got: await tried(client, "excerpt", window(-1)), outcome })
    await trial.control.advance(1)
    same("a second later", takenOf(await excerpts(client, rate + 1)), rate)
  })

export const excerptOutput: ProbeMaker = () =>
  sizedReplay(
    "an excerpt of 3.5 MB is taken; one of over 4 MB is refused",
    async (stage, trial) => {
      const { accept, outcome } = rowOf("boundary", "replay.excerpt.output")
      const client = await stage.client("talks")
      await client.call("add", { by: 1 })
      const { nowMs: sinceMs } = Object(await client.call("read"))
      await stage.flood(client, (accept * 7) / 8)
      isTaken("under it", await tried(client, "excerpt", { sinceMs }))
      await stage.flood(client, accept / 4)
      isRefusedAs(trial, "over it", { got: await tried(client, "excerpt", { sinceMs }), outcome })
    }
  )

export const countedApart: ProbeMaker = () =>
  timedReplay("clips are made when excerpts are spent, and the reverse", async (stage) => {
    const { burst } = rowOf("bucket", "replay.excerpt.concurrent")
    const client = await stage.client("plays")
    await stage.play(client, 10 * secondMs)
    same("excerpts", takenOf(await excerpts(client, burst + 1)), burst)
    isTaken("a clip", await tried(client, "clip"))
    const other = await stage.client("other")
    await stage.play(other, 10 * secondMs)
    isTaken("a clip of another room", await tried(other, "clip"))
    same("a second one", (await tried(other, "clip")).taken, false)
    same("excerpts there", takenOf(await excerpts(other, burst)), burst)
  })
