import type { Check } from "../check/Check.ts"
import { modelChecks } from "../models/ModelChecks.ts"
import { authChecks } from "./auth.ts"
import { keyChecks } from "./keys.ts"
import { saveChecks } from "./saves.ts"
import { scopeChecks } from "./scope.ts"
import { stateChecks } from "./states.ts"
import { roomFieldChecks } from "./roomFields.ts"

/** Every check of the suite. */
export const checks: ReadonlyArray<Check> = [...authChecks, ...scopeChecks, ...keyChecks, ...saveChecks, ...modelChecks, ...stateChecks, ...roomFieldChecks]
