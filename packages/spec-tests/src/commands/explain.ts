import { Argument, Command } from "effect/cli"

import { features } from "../engine/Features.ts"
import { Misused } from "../engine/Settings.ts"
import { checkedIds, type Suite, wholeSuite } from "../engine/Suite.ts"
import { capabilitiesOf } from "../sections/Capabilities.ts"
import { rows } from "../sections/Sections.ts"
import { endingWith } from "./CommandEnd.ts"

/** `spec-tests explain ID`: all about a requirement; of a feature, what it is and what takes it. */
export const explain = Command.make(
  "explain",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("Id of a requirement, or name of a feature")
    )
  },
  ({ id }) =>
    endingWith((_, say) => {
      say.log(explanation(id, wholeSuite))
      return 0
    })
).pipe(Command.withDescription("Say all about one requirement or feature"))

/** Throws `Misused` for an unknown id. */
const explanation = (id: string, suite: Suite): string => {
  const requirement = suite.requirements.find((one) => one.id === id)
  if (requirement === undefined) return featureText(id, suite)
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

/** Throws `Misused` for an unknown name. */
const featureText = (name: string, suite: Suite): string => {
  const what = Object.hasOwn(features, name) ? features[name] : undefined
  if (what === undefined) {
    throw new Misused(`no requirement and no feature is ${name}: see \`list\``)
  }
  const taking = suite.requirements.filter((one) => one.features.includes(name))
  const asked = checkedIds(suite)
  const isAsked = ({ id, sameAs = id }: (typeof taking)[number]): boolean =>
    asked.has(id) || asked.has(sameAs)
  return [
    `${name}: a feature`,
    `  what it is  ${what}`,
    `  taken by    ${taking.length} requirements, of which ${taking.filter(isAsked).length} have a check`,
    ...taking.map((one) => `  ${isAsked(one) ? "x" : "-"} ${one.id}`)
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

/** The fields that make the row what it is, as they stand in its section. */
const rowText = (row: (typeof rows)[number]): string =>
  JSON.stringify({ ...row, ids: undefined, numbers: undefined, codes: undefined })
