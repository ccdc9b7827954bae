import type { Check } from "../check/Check.ts"
import { keyChecks } from "./keys.ts"
import { saveChecks } from "./saves.ts"

/** Every check of the suite. */
export const checks: ReadonlyArray<Check> = [...keyChecks, ...saveChecks]
