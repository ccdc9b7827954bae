import type { AmbientRule } from "../trial/Ambient.ts"

/** What holds of every exchange of a run. */
export const ambientRules: ReadonlyArray<AmbientRule> = []
