import type { Check } from "../check/Check.ts"
import type { Requirement } from "../sections/Requirement.ts"
import { requirements } from "../sections/Requirements.ts"
import { ambientRules, checks, rows } from "../sections/Sections.ts"
import type { AmbientRule } from "../trial/Ambient.ts"

/** The requirements and checks of a suite. */
export interface Suite {
  readonly requirements: ReadonlyArray<Requirement>
  readonly checks: ReadonlyArray<Check>
  readonly ambientRules: ReadonlyArray<AmbientRule>
  /** Why a requirement is only documented. */
  readonly documented: (id: string) => string | null
}

const documentedFor = new Map(
  rows.flatMap((row) =>
    row.kind === "documented" ? row.ids.map((id) => [id, row.reason] as const) : []
  )
)

/** All of it. */
export const wholeSuite: Suite = {
  requirements,
  checks,
  ambientRules,
  documented: (id) => documentedFor.get(id) ?? null
}

/** The titles of the checks and ambient rules that prove an id, by id. */
export const proofsOf = ({
  checks: asked,
  ambientRules: rules
}: Suite): ReadonlyMap<string, ReadonlyArray<string>> => {
  const proofs = new Map<string, Array<string>>()
  for (const { ids, title } of [...asked, ...rules]) {
    for (const id of ids) proofs.set(id, [...(proofs.get(id) ?? []), title])
  }
  return proofs
}

/** Ids that some check or ambient rule proves. */
export const checkedIds = ({ checks: asked, ambientRules: rules }: Suite): ReadonlySet<string> =>
  new Set([...asked, ...rules].flatMap(({ ids }) => ids))
