import { expect, test } from "vitest"

import { defaultCodecs } from "../codec/DefaultCodecs.ts"
import { wholeSuite } from "../engine/Suite.ts"
import { askChecks } from "../engine/testing/AskChecks.ts"
import { type FauxAnswer, startFaux } from "./Faux.ts"
import { fauxCodecs } from "./FauxCodecs.ts"

/** Requirements that ask for that very answer, with the reason. */
const deserved: Readonly<Record<FauxAnswer, Readonly<Record<string, string>>>> = {
  "200 {}": {},
  "404 E_NOT_FOUND": {
    "auth.key.other-vs-nonexistent-identical":
      "two projects that are out of reach must answer the same 404, and do",
    "error.http.E_NOT_FOUND": "that very answer"
  },
  "404": {}
}

const musts = new Set(
  wholeSuite.requirements
    .filter(({ tier, level }) => tier === "A" && level === "must")
    .map(({ id }) => id)
)
const features = [
  ...new Set(wholeSuite.requirements.flatMap((row) => (row.tier === "A" ? row.features : [])))
]

/** Ids of tier A that came out green on a server that has one answer. */
const greenOn = async (answer: FauxAnswer, exit: number): Promise<ReadonlyArray<string>> => {
  const faux = await startFaux(answer)
  const accounts = ["one", "other"] as const
  const argv = [process.execPath, "-e", `process.exit(${exit})`, "--"] as const
  const cli = { argv, loggedInEnv: {} }
  const checks = wholeSuite.checks.filter(({ ids }) => ids.some((id) => musts.has(id)))
  const { results } = await askChecks(checks, {
    implementation: faux,
    config: { accounts, features, cli },
    codecs: { ...defaultCodecs, ...fauxCodecs },
    modelRuns: 2,
    jobs: 8
  })
  expect(results.length).toBeGreaterThan(60)
  const [green, other] = [true, false].map((wanted) =>
    results.filter(({ status }) => (status === "pass" || status === "deviates") === wanted)
  )
  const refuted = new Set(other?.flatMap(({ ids }) => ids))
  const proved = green?.flatMap(({ ids }) => ids.filter((id) => musts.has(id))) ?? []
  return [...new Set(proved)].filter((id) => !refuted.has(id)).toSorted()
}

const answers: ReadonlyArray<readonly [FauxAnswer, number]> = [
  ["200 {}", 0],
  ["404 E_NOT_FOUND", 1],
  ["404", 1]
]

test.each(answers)(
  "[C-97] a fake that answers %s to everything, with a tool that exits with %i, passes only what it deserves",
  async (answer, exit) => {
    expect(await greenOn(answer, exit)).toEqual(Object.keys(deserved[answer]).toSorted())
  }
)
