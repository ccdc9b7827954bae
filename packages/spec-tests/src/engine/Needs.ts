import type { Check } from "../check/Check.ts"
import type { Requirement } from "../sections/Requirement.ts"
import { requirementOf } from "../sections/Requirements.ts"

/** A feature or hook that something needs. */
export interface Need {
  readonly kind: "feature" | "hook"
  readonly name: string
}

/** The needs of a requirement. */
export const needsOf = ({ features, hooks }: Pick<Requirement, "features" | "hooks">) => [
  ...features.map((name): Need => ({ kind: "feature", name })),
  ...hooks.map((name): Need => ({ kind: "hook", name }))
]

/** The declarations of an implementation. */
export interface Declared {
  readonly config: { readonly features: ReadonlyArray<string> }
  readonly hooks: ReadonlySet<string>
}

/** The needs that the implementation does not declare. */
export const undeclared = (
  needs: ReadonlyArray<Need>,
  { config, hooks }: Declared
): ReadonlyArray<string> => {
  const features = new Set(config.features)
  const missing = needs.filter(({ kind, name }) => !(kind === "hook" ? hooks : features).has(name))
  return [...new Set(missing.map(({ kind, name }) => (kind === "hook" ? `hook ${name}` : name)))]
}

/** The undeclared needs of a check or an ambient rule, and of its requirements. */
export const missingFor = (
  check: Pick<Check, "ids" | "needs">,
  declared: Declared
): ReadonlyArray<string> => {
  const more = (check.needs ?? []).filter(
    (name) => !declared.config.features.includes(name) && !declared.hooks.has(name)
  )
  return [...new Set([...more, ...undeclared(check.ids.flatMap(idNeeds), declared)])]
}

/** Why the check cannot be asked though all that it needs is declared; null = it can. */
export const brokenFor = (check: Check, broken: ReadonlyMap<string, string>): string | null => {
  const needs = check.ids.flatMap(idNeeds).map(({ kind, name }) => `${kind} ${name}`)
  const more = (check.needs ?? []).flatMap((name) => [`hook ${name}`, `feature ${name}`])
  const found = ["all", ...needs, ...more].find((need) => broken.has(need))
  return found === undefined ? null : (broken.get(found) ?? null)
}

const idNeeds = (id: string): ReadonlyArray<Need> => needsOf(requirementOf(id))
