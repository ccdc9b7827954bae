import type { Check } from "../../check/Check.ts"
import type { Codecs } from "../../codec/Codecs.ts"
import { defaultCodecs } from "../../codec/DefaultCodecs.ts"
import { Ambient, type AmbientRule } from "../../trial/Ambient.ts"
import { noFixtures } from "../../trial/Fixtures.ts"
import { openWorld } from "../../trial/World.ts"
import type { Config } from "../Config.ts"
import { runChecks } from "../RunChecks.ts"

interface Asked {
  readonly implementation: { readonly url: string; stop(): Promise<void> }
  readonly config: Omit<Config, "name" | "baseUrl">
  readonly codecs?: Codecs
  readonly rules?: ReadonlyArray<AmbientRule>
  readonly modelRuns: number
  readonly jobs: number
  /** How many times longer than usual anything may take; absent = once. */
  readonly patience?: number
}

/** Asks an implementation in a lenient run without fixtures, and stops it. */
export const askChecks = async (checks: ReadonlyArray<Check>, asked: Asked) => {
  const { implementation, modelRuns, jobs, patience = 1 } = asked
  const { codecs = defaultCodecs, rules = [] } = asked
  const config = { name: "fake", baseUrl: implementation.url, ...asked.config }
  const world = await openWorld(config, { codecs, strict: false, patience })
  const ambient = new Ambient(rules, codecs)
  try {
    const results = await runChecks(checks, {
      world,
      ambient,
      fixtures: noFixtures,
      seed: 1,
      replay: null,
      modelRuns,
      jobs,
      signal: new AbortController().signal,
      onResult: () => undefined
    })
    return { results, ambient }
  } finally {
    world.close()
    await implementation.stop()
  }
}
