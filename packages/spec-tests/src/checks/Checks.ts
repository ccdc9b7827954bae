import type { Check } from "../check/Check.ts"
import { modelChecks } from "../models/ModelChecks.ts"
import { authChecks } from "./auth.ts"
import { durationChecks } from "./durations.ts"
import { joinChecks } from "./joins.ts"
import { keyChecks } from "./keys.ts"
import { roomFieldChecks } from "./roomFields.ts"
import { roomLimitChecks } from "./roomLimits.ts"
import { roomChecks } from "./rooms.ts"
import { saveChecks } from "./saves.ts"
import { scopeChecks } from "./scope.ts"
import { sdkChecks } from "./sdk.ts"
import { slowClientChecks } from "./slowClients.ts"
import { stateChecks } from "./states.ts"

/** Every check of the suite. */
export const checks: ReadonlyArray<Check> = [
  ...authChecks,
  ...scopeChecks,
  ...durationChecks,
  ...roomChecks,
  ...keyChecks,
  ...saveChecks,
  ...modelChecks,
  ...stateChecks,
  ...roomFieldChecks,
  ...roomLimitChecks,
  ...slowClientChecks,
  ...joinChecks,
  ...sdkChecks
]
