import { Schema } from "effect"

import { AudienceLimits } from "./AudienceLimits.ts"

/** The role of players. An audience may not have it, or viewers could not be told from players. */
export const playerRole = "player"

/** Whether a role is one of viewers; a client without a role plays. */
export const isViewer = (role: unknown): boolean => role !== undefined && role !== playerRole

const { max } = AudienceLimits.audienceRoleChars
const form = new RegExp(`^[A-Za-z0-9_.:-]{1,${max}}$`)
const message = `must have 1 to ${max} of A-Z a-z 0-9 _ - . :, or be null`

/**
 * The role of a project's viewers, as `service.json` declares it; `null` = its relay rooms have no
 * audience. Spec: Project file, audienceRole; C-120.
 */
export const AudienceRole = Schema.NullOr(
  Schema.String.check(
    Schema.makeFilter(
      (text) => {
        if (!form.test(text)) return message
        return text !== playerRole || `must not be ${playerRole}, which those who play are`
      },
      { toJsonSchema: () => ({ pattern: form.source, not: { const: playerRole } }) }
    )
  )
).annotate({ message })
