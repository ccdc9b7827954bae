import type { CheckResult } from "../engine/CheckResult.ts"
import { runChecks } from "../engine/RunChecks.ts"
import { codecsOf, readConfig } from "../engine/Settings.ts"
import type { Suite } from "../engine/Suite.ts"
import { Ambient } from "../trial/Ambient.ts"
import { openFixtures } from "../trial/Fixtures.ts"
import { openWorld } from "../trial/World.ts"
import type { Started } from "./RunMutants.ts"
import type { StartedProgram } from "./StartByArgv.ts"

export interface Opening {
  readonly suite: Pick<Suite, "ambientRules">
  readonly seed: number
  /** Whether our choices must hold, too: a fault may break only a choice. */
  readonly strict: boolean
  readonly signal: AbortSignal
}

/** Checks at once on one implementation: two of them share the machine. */
const jobs = 4

/** Opens a started implementation, ready to be checked. */
export const openStarted = async (
  program: StartedProgram,
  { suite, seed, strict, signal }: Opening
): Promise<Started> => {
  const config = readConfig(program.config)
  const codecs = await codecsOf(config, program.config)
  const world = await openWorld(config, { codecs, strict })
  const fixtures = openFixtures(world)
  const ambient = new Ambient(suite.ambientRules, codecs)
  const asked = { world, ambient, fixtures, seed, replay: null, modelRuns: null, jobs, signal }
  return {
    check: async (checks) => {
      const together = checks.filter(({ alone }) => alone !== true)
      const alone = checks.filter((check) => check.alone === true)
      const onResult = (): void => undefined
      return [
        ...(await runChecks(together, { ...asked, onResult })),
        ...(await runChecks(alone, { ...asked, onResult })),
        ...seen(ambient, seed)
      ]
    },
    stop: async () => {
      world.close()
      await fixtures.close()
      await program.stop()
    }
  }
}

/** One result for each ambient rule, from all exchanges together. */
const seen = (ambient: Ambient, seed: number): ReadonlyArray<CheckResult> =>
  [...ambient.findings()].flatMap(([{ ids, title }, finding]) => {
    if (finding.seen === 0 && finding.broke === null) return []
    const [fault = null] = finding.faults
    const status = finding.broke === null ? (fault === null ? "pass" : "fail") : "error"
    const none = { expected: null, actual: null, deviations: [], trace: [], curl: null }
    return [
      { ids, title, status, reason: finding.broke ?? fault, ...none, replay: null, seed, tookMs: 0 }
    ]
  })
