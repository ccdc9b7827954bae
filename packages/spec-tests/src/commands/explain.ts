import { Argument, Command } from "effect/cli"

import { Misused } from "../engine/Settings.ts"
import { checkedIds, type Suite, wholeSuite } from "../engine/Suite.ts"
import { capabilitiesOf } from "../tables/Capabilities.ts"
import { rows } from "../tables/Tables.ts"
import { endingWith } from "./CommandEnd.ts"

/** `spec-tests explain ID`: where a requirement is from, what it takes, and what is asked for it. */
export const explain = Command.make(
  "explain",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of a requirement")) },
  ({ id }) =>
    endingWith((_, say) => {
      say.log(explanation(id, wholeSuite))
      return 0
    })
).pipe(Command.withDescription("Say all about one requirement"))

/** Throws `Misused` for an id that is none. */
const explanation = (id: string, suite: Suite): string => {
  const requirement = suite.requirements.find((one) => one.id === id)
  if (requirement === undefined) throw new Misused(`no requirement is ${id}: see \`list\``)
  const { line, alsoLines = [], section, statement, level, tier, probe, sameAs } = requirement
  const { hooks, features, decisions } = requirement
  const proofs = [...suite.checks, ...suite.ambientRules].filter(
    ({ ids }) => ids.includes(id) || (sameAs !== undefined && ids.includes(sameAs))
  )
  const row = rows.find(({ ids }) => ids.includes(id))
  const fields: ReadonlyArray<readonly [string, string]> = [
    ["statement", statement],
    ["from", `line ${[line, ...alsoLines].join(", ")} of the specification: ${section}`],
    ["level", levels[level]],
    ["tier", tiers[tier]],
    ["asked over", probe.join(", ")],
    ["features", features.join(", ")],
    ["hooks", hooks.join(", ")],
    ["decisions", decisions.join(", ")],
    ["must see", capabilitiesOf(id).join(", ")],
    ["says again", sameAs ?? ""],
    ["row", row === undefined ? "" : rowText(row)],
    ["documented", suite.documented(id) ?? ""],
    ...proofs.map(({ title }) => ["check", title] as const),
    ["checked", checkedIds(suite).has(sameAs ?? id) ? "" : "no check yet"],
    ["ask it", `spec-tests run --only '${id}'`]
  ]
  return [
    id,
    ...fields
      .filter(([, value]) => value !== "")
      .map(([name, value]) => `  ${name.padEnd(11)} ${value}`)
  ].join("\n")
}

const levels = {
  must: "must: the specification says it",
  decided: "decided: the specification is silent, we chose",
  info: "info: nothing to assert"
}

const tiers = {
  A: "A: needs an address and two accounts",
  B: "B: needs fixtures",
  C: "C: needs control hooks",
  D: "D: documented"
}

/** The fields that make the row what it is, as they stand in the tables. */
const rowText = (row: (typeof rows)[number]): string =>
  JSON.stringify({ ...row, ids: undefined, numbers: undefined, codes: undefined })
