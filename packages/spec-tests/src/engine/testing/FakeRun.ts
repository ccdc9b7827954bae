import type { Check } from "../../check/Check.ts"
import { defaultCodecs } from "../../codec/DefaultCodecs.ts"
import type { Report } from "../../report/Report.ts"
import type { ReportLine } from "../../report/ReportLine.ts"
import { requirementOf } from "../../sections/Requirements.ts"
import type { AmbientRule } from "../../trial/Ambient.ts"
import { openWorld } from "../../trial/World.ts"
import { noBaseline } from "../Baseline.ts"
import type { Config } from "../Config.ts"
import { runSuite } from "../RunSuite.ts"
import { allTiers } from "../Selection.ts"
import type { Suite } from "../Suite.ts"

/** Requirements of tier A that need nothing but an address. */
export const plainIds = ["keys.secret.form", "keys.id.form", "rooms.row.roomId"] as const
/** One that is our choice. */
export const decidedId = "rooms.list.active.bad-value"

export interface FakeSuite {
  readonly checks?: ReadonlyArray<Check>
  readonly ambientRules?: ReadonlyArray<AmbientRule>
  readonly ids?: ReadonlyArray<string>
}

/** A suite of a few requirements of the inventory, with checks of a test. */
export const fakeSuite = ({
  checks = [],
  ambientRules = [],
  ids = plainIds
}: FakeSuite): Suite => ({
  requirements: ids.map(requirementOf),
  checks,
  ambientRules,
  documented: () => null
})

export interface FakeRun {
  readonly suite: Suite
  readonly baseUrl: string
  readonly config?: Partial<Config>
  readonly strict?: boolean
  readonly patience?: number
  readonly signal?: AbortSignal
  readonly only?: ReadonlyArray<string>
  readonly skip?: ReadonlyArray<string>
  readonly onLine?: (line: ReportLine) => void
}

export const secretsOfFake = ["account-zero-credential", "account-one-credential"] as const

/** Runs a suite against a fake implementation. */
export const runFake = async (
  fake: FakeRun
): Promise<Report & { readonly lines: ReadonlyArray<ReportLine> }> => {
  const { suite, baseUrl, strict = true, onLine, signal = new AbortController().signal } = fake
  const config: Config = {
    name: "fake",
    baseUrl,
    accounts: [...secretsOfFake],
    features: [],
    ...fake.config
  }
  const world = await openWorld(config, {
    codecs: defaultCodecs,
    strict,
    patience: fake.patience ?? 1
  })
  const lines: Array<ReportLine> = []
  try {
    const report = await runSuite({
      suite,
      world,
      jobs: 2,
      replay: null,
      modelRuns: null,
      signal,
      header: {
        suite: "0",
        seed: 7,
        profile: "any",
        strict,
        tiers: allTiers,
        only: fake.only ?? [],
        skip: fake.skip ?? [],
        set: null,
        baseline: noBaseline,
        startedAt: "2026-01-01T00:00:00.000Z"
      },
      onLine: (line) => {
        lines.push(line)
        onLine?.(line)
      },
      onProgress: () => undefined
    })
    return { ...report, lines }
  } finally {
    world.close()
  }
}
