import type { DeploymentRow } from "./DeploymentRow.ts"

type Version = Pick<DeploymentRow, "version" | "rollbackOf">

/** The version with which the code of a version was uploaded. */
const uploadOf = ({ version, rollbackOf }: Version): number => rollbackOf ?? version

/**
 * The version that a rollback without a number goes back to: the one before the upload whose code is
 * current. A second rollback goes further back, and not to the fault. `null` = no version is older.
 * Source: C-351.
 */
export const versionBefore = (current: Version): number | null => {
  const before = uploadOf(current) - 1
  return before === 0 ? null : before
}

interface Rollback {
  /** The version whose code comes back. */
  readonly target: Version
  /** The version that was current when the target was chosen; `null` = the caller named the target. */
  readonly chosenAt: number | null
}

/** The reason why a rollback changes nothing or not what its caller saw; `null` = it may go on. */
export const rollbackObjection = (
  { target, chosenAt }: Rollback,
  current: Version | null
): string | null => {
  if (current === null) return "the project has no version yet"
  if (target.version === current.version) return `version ${target.version} is the current one`
  if (uploadOf(target) === uploadOf(current)) {
    return `version ${current.version} is current and has the code of version ${target.version}`
  }
  return chosenAt === null || chosenAt === current.version
    ? null
    : `version ${current.version} was deployed meanwhile; name a version, or ask again`
}
