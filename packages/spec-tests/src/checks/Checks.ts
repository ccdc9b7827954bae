import type { Check } from "../check/Check.ts"
import { modelChecks } from "../models/ModelChecks.ts"
import { raceChecks } from "../models/Races.ts"
import { authChecks } from "./auth.ts"
import { capChecks } from "./caps.ts"
import { cliChecks } from "./cli.ts"
import { durationChecks } from "./durations.ts"
import { errorChecks } from "./errors.ts"
import { joinChecks } from "./joins.ts"
import { keyChecks } from "./keys.ts"
import { projectChecks } from "./projects.ts"
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
  ...errorChecks,
  ...projectChecks,
  ...capChecks,
  ...keyChecks,
  ...saveChecks,
  ...modelChecks,
  ...raceChecks,
  ...cliChecks,
  ...stateChecks,
  ...roomFieldChecks,
  ...roomLimitChecks,
  ...slowClientChecks,
  ...joinChecks,
  ...sdkChecks
]
