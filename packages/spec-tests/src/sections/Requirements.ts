import lines from "./lines.json" with { type: "json" }
import type { Requirement } from "./Requirement.ts"
import { sections } from "./Sections.ts"

const shas: Readonly<Record<string, string>> = lines

/** All of them, in the order of the specification. */
export const requirements: ReadonlyArray<Requirement> = sections
  .flatMap(({ rows }) => rows)
  .map(({ id, section, tier, line, statement, more }) => {
    const sha = shas[line]
    if (sha === undefined) throw new Error(`lines.json has no hash of line ${line}, that of ${id}`)
    return {
      id,
      line,
      sha,
      section,
      statement,
      level: more.level ?? "must",
      tier,
      probe: more.probe ?? ["http"],
      hooks: more.hooks ?? (tier === "B" ? ["fixture"] : []),
      features: more.features ?? [],
      decisions: more.decisions ?? [],
      ...(more.alsoLines === undefined ? {} : { alsoLines: more.alsoLines }),
      ...(more.sameAs === undefined ? {} : { sameAs: more.sameAs })
    }
  })

const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]))

/** Throws for an unknown id: a check or row is wrong. */
export const requirementOf = (id: string): Requirement => {
  const requirement = byId.get(id)
  if (requirement === undefined) throw new Error(`no requirement ${id}`)
  return requirement
}

/** requirements.json: one requirement a line. */
export const requirementsFile = (): string =>
  `[\n${requirements.map((requirement) => JSON.stringify(requirement)).join(",\n")}\n]\n`
