import type { Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import { type RoomStage, roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"
import { codeOf } from "./RelayWrites.ts"

/** A check's run on a stage with the fixture `physics`. */
export const withWorlds =
  (run: (stage: RoomStage, trial: Trial) => Promise<void>) =>
  async (trial: Trial): Promise<void> =>
    run(await roomStage(trial, "physics"), trial)

interface Cost {
  readonly bodies: number
  readonly ticks: number
  readonly channels: number
  readonly poseBytes: number
  readonly channelBytes: number
}

/** The cost of a history that is as long as it gets. */
const fullHistory = async (stage: RoomStage, trial: Trial): Promise<Cost> => {
  const { accept } = rowOf("boundary", "limits.physics.history")
  const client = await stage.client("room", { type: "world" })
  return trial.until(`a history of ${accept} ticks`, async () => {
    const { bodies, ticks, channels, poseBytes, channelBytes } = Object(
      await client.call("history")
    )
    if (ticks < accept) return null
    same("its ticks", ticks, accept)
    return { bodies, ticks, channels, poseBytes, channelBytes }
  })
}

/** About: a quarter more or less. */
const leeway = 0.25

/** A world takes seconds to be deployed and to start where a machine has other work. */
export const worldMs = 30_000

export const historyCost: Probe = {
  needs: ["fixture"],
  timeoutMs: worldMs,
  title: "the poses of 100 bodies over 240 ticks take about 120 bytes a body and tick",
  run: withWorlds(async (stage, trial) => {
    const [about = 0] = rowOf("statement", "limits.physics.history.cost").numbers ?? []
    const { bodies, ticks, poseBytes } = await fullHistory(stage, trial)
    const each = poseBytes / (bodies * ticks)
    holds(`about ${about} bytes`, Math.abs(each - about) <= leeway * about, each)
  })
}

export const channelsCost: Probe = {
  needs: ["fixture"],
  timeoutMs: worldMs,
  title: "the channels of a history take 4 bytes each for each body and tick",
  run: withWorlds(async (stage, trial) => {
    const [bytes = 0] = rowOf("statement", "limits.physics.channels.cost").numbers ?? []
    const { bodies, ticks, channels, channelBytes } = await fullHistory(stage, trial)
    same("bytes of all channels", channelBytes, channels * ticks * bodies * bytes)
  })
}

export const noHistory: Probe = {
  needs: ["fixture"],
  timeoutMs: worldMs,
  title: "a room whose type declares no history cannot go back",
  run: withWorlds(async (stage) => {
    const [world, still] = [
      await stage.client("world", { type: "world" }),
      await stage.client("still", { type: "still" })
    ]
    const { tick } = Object(await world.call("rewind", { tick: 0 }))
    holds("a room with one goes back", typeof tick === "number", tick)
    const code = await codeOf(still.call("rewind", { tick: 0 }))
    same("the refusal of a room without one", code, "E_PHYSICS_NO_HISTORY")
  })
}
