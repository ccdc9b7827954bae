import type { Check } from "../check/Check.ts"
import type { Requirement } from "../sections/Requirement.ts"

export type Tier = Requirement["tier"]

/** Which requirements a run is about. Empty `only` = all. */
export interface Selection {
  readonly only: ReadonlyArray<string>
  readonly skip: ReadonlyArray<string>
  readonly tiers: ReadonlyArray<Tier>
}

export const allTiers: ReadonlyArray<Tier> = ["A", "B", "C", "D"]

/**
 * Whether a glob selects an id: `*` stands for any characters, dots too. A glob without `*` selects
 * the id of that name and all ids below it (C-91).
 */
export const meant = (glob: string, id: string): boolean => {
  if (!glob.includes("*")) return id === glob || id.startsWith(`${glob}.`)
  const source = glob
    .split(/\*+/)
    .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*")
  return new RegExp(`^${source}$`).test(id)
}

/** The requirements of a selection, in their order. */
export const selected = (
  requirements: ReadonlyArray<Requirement>,
  { only, skip, tiers }: Selection
): ReadonlyArray<Requirement> =>
  requirements.filter(
    ({ id, tier }) =>
      tiers.includes(tier) &&
      (only.length === 0 || only.some((glob) => meant(glob, id))) &&
      !skip.some((glob) => meant(glob, id))
  )

/** Globs that mean no requirement: typing errors, which must not make a run green. */
export const meaningless = (
  requirements: ReadonlyArray<Requirement>,
  globs: ReadonlyArray<string>
): ReadonlyArray<string> => globs.filter((glob) => !requirements.some(({ id }) => meant(glob, id)))

/** The checks that prove any of the requirements, also by the ones that they say again. */
export const checksOf = (
  checks: ReadonlyArray<Check>,
  requirements: ReadonlyArray<Requirement>
): ReadonlyArray<Check> => {
  const ids = new Set(requirements.flatMap(({ id, sameAs }) => [id, ...(sameAs ? [sameAs] : [])]))
  return checks.filter((check) => check.ids.some((id) => ids.has(id)))
}
