import type { Project } from "@atrium/domain/projects/ProjectsApi"

import { errorText } from "../text/ErrorText.ts"

/** Settings as they are typed: a text for each, and the flag. */
export interface TypedSettings {
  /** A line for each origin; one line `*` = all. */
  readonly origins: string
  readonly audienceRole: string
  readonly connectionsPerIpPerMin: string
  readonly vmMemMib: string
  readonly preRelease: boolean
  /** JSON, as in `service.json`. */
  readonly queues: string
  readonly boards: string
}

export const typedOf = (record: Project): TypedSettings => ({
  origins: record.origins.join("\n"),
  audienceRole: record.audienceRole ?? "",
  connectionsPerIpPerMin: textOf(record.connectionsPerIpPerMin),
  vmMemMib: textOf(record.vmMemMib),
  preRelease: record.preRelease,
  queues: JSON.stringify(record.queues, null, 2),
  boards: JSON.stringify(record.boards, null, 2)
})

const textOf = (value: number | null): string => (value === null ? "" : String(value))

/**
 * The body of a PATCH that makes the record what is typed: what has changed, and the name, which proves which
 * project is meant. Throws an `Error` that names what is no JSON.
 */
export const changedSettings = (
  record: Project,
  typed: TypedSettings
): Readonly<Record<string, unknown>> => {
  const before = typedOf(record)
  const changed = (name: keyof TypedSettings): boolean => typed[name] !== before[name]
  return {
    name: record.name,
    ...(changed("origins") ? { origins: linesOf(typed.origins) } : {}),
    ...(changed("audienceRole")
      ? { audienceRole: typed.audienceRole === "" ? null : typed.audienceRole }
      : {}),
    ...(changed("connectionsPerIpPerMin")
      ? { connectionsPerIpPerMin: numberOf(typed.connectionsPerIpPerMin) }
      : {}),
    ...(changed("vmMemMib") ? { vmMemMib: numberOf(typed.vmMemMib) } : {}),
    ...(changed("preRelease") ? { preRelease: typed.preRelease } : {}),
    ...(changed("queues") ? { queues: jsonOf("queues", typed.queues) } : {}),
    ...(changed("boards") ? { boards: jsonOf("boards", typed.boards) } : {})
  }
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** An empty text is the default. Text that is not a number is sent unchanged, and the service refuses it. */
const numberOf = (text: string): number | string | null => {
  if (text.trim() === "") return null
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

const jsonOf = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${name}: ${errorText(error)}`)
  }
}
