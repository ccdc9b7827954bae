import type { Check } from "../check/Check.ts"
import { holds } from "../check/Expect.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Trial } from "../trial/Trial.ts"
import { callOf, noProject } from "./RouteCall.ts"

const pairs = 40
/** Less than a look into another table or a slow hash takes on the machines that this runs on. */
const apartMaxMs = 8

const medianOf = (times: ReadonlyArray<number>): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0

type Ask = () => Promise<HttpAnswer>

/** Two answers that must not be told apart take as long as each other: asked in turns, by their medians. */
const takeAsLong = async (trial: Trial, what: string, asks: readonly [Ask, Ask]): Promise<void> => {
  const times: readonly [Array<number>, Array<number>] = [[], []]
  for (let pair = 0; pair < pairs; pair++) {
    times[0].push((await asks[0]()).tookMs)
    times[1].push((await asks[1]()).tookMs)
  }
  const [one, other] = [medianOf(times[0]), medianOf(times[1])]
  const isAlike = Math.abs(one - other) < apartMaxMs * trial.patience
  holds(`${what}: as long as each other`, isAlike, `${one.toFixed(1)} and ${other.toFixed(1)} ms`)
}

/** What must look alike, by the time that it takes. */
export const alikeChecks: ReadonlyArray<Check> = [
  {
    ids: ["auth.401.identical-wording"],
    alone: true,
    title: "an unknown key and a revoked key are refused in the same time",
    run: async (trial) => {
      const project = await trial.project()
      const { keyId, secret } = await project.key("rooms:read")
      await project.ask(`/keys/${keyId}`, { method: "DELETE" })
      const unknown = `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`
      const ask = (bearer: string) => () => project.ask("/rooms", { bearer })
      await takeAsLong(trial, "unknown and revoked", [ask(unknown), ask(secret)])
    }
  },
  {
    ids: ["auth.key.other-vs-nonexistent-identical"],
    alone: true,
    title: "a project of somebody else and one that does not exist answer in the same time",
    run: async (trial) => {
      const [project, foreign] = [await trial.project(), await trial.project(1)]
      const { secret: bearer } = await project.key("rooms:read", "rooms:write")
      for (const id of ["route.rooms.list", "route.rooms.delete"] as const) {
        const ask = (to: string) => () =>
          trial.send({ ...callOf(trial, id, { project: to }), bearer })
        await takeAsLong(trial, id, [ask(foreign.id), ask(noProject(trial))])
      }
    }
  }
]
