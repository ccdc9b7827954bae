import type { Check } from "../check/Check.ts"
import { alikeChecks } from "./alike.ts"
import { audienceChecks } from "./audience.ts"
import { audienceLimitChecks } from "./audienceLimits.ts"
import { audienceSlowChecks } from "./audienceSlow.ts"
import { authChecks } from "./auth.ts"
import { budgetChecks } from "./budget.ts"
import { capChecks } from "./caps.ts"
import { chosenRoomChecks } from "./chosenRooms.ts"
import { chosenRuleChecks } from "./chosenRules.ts"
import { chosenShapeChecks } from "./chosenShapes.ts"
import { cliChecks } from "./cli.ts"
import { connectionLimitChecks } from "./connections.ts"
import { dataOutChecks } from "./dataOut.ts"
import { deploymentChecks } from "./deployments.ts"
import { durationChecks } from "./durations.ts"
import { errorChecks } from "./errors.ts"
import { errorShapeChecks } from "./errorShapes.ts"
import { joinChecks } from "./joins.ts"
import { keyChecks } from "./keys.ts"
import { memoryChecks } from "./memory.ts"
import { modelChecks } from "./models.ts"
import { projectFileChecks } from "./projectFile.ts"
import { projectChecks } from "./projects.ts"
import { queueBoardChecks } from "./queuesBoards.ts"
import { rateChecks } from "./rates.ts"
import { relayChecks } from "./relay.ts"
import { relayLifeChecks } from "./relayLife.ts"
import { retentionChecks } from "./retention.ts"
import { roomFieldChecks } from "./roomFields.ts"
import { roomLimitChecks } from "./roomLimits.ts"
import { roomChecks } from "./rooms.ts"
import { routeChecks } from "./routes.ts"
import { saveChecks } from "./saves.ts"
import { scopeChecks } from "./scope.ts"
import { sdkChecks } from "./sdk.ts"
import { selfRunChecks } from "./selfRun.ts"
import { serverMemoryChecks } from "./serverMemory.ts"
import { serverChecks } from "./servers.ts"
import { serverStartChecks } from "./serverStarts.ts"
import { slowClientChecks } from "./slowClients.ts"
import { stateChecks } from "./states.ts"

/** Every check of the suite. */
export const checks: ReadonlyArray<Check> = [
  ...authChecks,
  ...alikeChecks,
  ...scopeChecks,
  ...durationChecks,
  ...roomChecks,
  ...errorChecks,
  ...errorShapeChecks,
  ...projectChecks,
  ...capChecks,
  ...routeChecks,
  ...keyChecks,
  ...saveChecks,
  ...modelChecks,
  ...selfRunChecks,
  ...queueBoardChecks,
  ...projectFileChecks,
  ...retentionChecks,
  ...cliChecks,
  ...stateChecks,
  ...roomFieldChecks,
  ...roomLimitChecks,
  ...slowClientChecks,
  ...connectionLimitChecks,
  ...relayChecks,
  ...relayLifeChecks,
  ...joinChecks,
  ...sdkChecks,
  ...serverChecks,
  ...rateChecks,
  ...audienceChecks,
  ...audienceLimitChecks,
  ...audienceSlowChecks,
  ...deploymentChecks,
  ...dataOutChecks,
  ...memoryChecks,
  ...budgetChecks,
  ...serverMemoryChecks,
  ...serverStartChecks,
  ...chosenShapeChecks,
  ...chosenRoomChecks,
  ...chosenRuleChecks
]
