import type { Check, Probe, ProbeOf } from "../check/Check.ts"
import type { AmbientRule } from "../trial/Ambient.ts"
import { joinCredentialsSection } from "./authentication/JoinCredentials.ts"
import { keysAndScopesSection } from "./authentication/KeysAndScopes.ts"
import { loginsAndRefusalsSection } from "./authentication/LoginsAndRefusals.ts"
import { commandsSection } from "./endpoints/Commands.ts"
import { jsonBodiesSection } from "./endpoints/JsonBodies.ts"
import { keyRoutesSection } from "./endpoints/KeyRoutes.ts"
import { openRoutesSection } from "./endpoints/OpenRoutes.ts"
import { roomRoutesSection } from "./endpoints/RoomRoutes.ts"
import { roomRulesSection } from "./endpoints/RoomRules.ts"
import { settingsRoutesSection } from "./endpoints/SettingsRoutes.ts"
import { errorMessagesSection } from "./errors/ErrorMessages.ts"
import { httpErrorsSection } from "./errors/HttpErrors.ts"
import { roomErrorsSection } from "./errors/RoomErrors.ts"
import { eventsSection } from "./Events.ts"
import { audienceSection } from "./limits/Audience.ts"
import { awakeAndNewRoomsSection } from "./limits/AwakeAndNewRooms.ts"
import { capStatesSection } from "./limits/CapStates.ts"
import { chatAndOutboundSection } from "./limits/ChatAndOutbound.ts"
import { connectionsAndJoinsSection } from "./limits/ConnectionsAndJoins.ts"
import { leaderboardsSection } from "./limits/Leaderboards.ts"
import { managementRateSection } from "./limits/ManagementRate.ts"
import { openRateRulesSection } from "./limits/OpenRateRules.ts"
import { openRatesSection } from "./limits/OpenRates.ts"
import { playerFieldsSection } from "./limits/PlayerFields.ts"
import { playersAndFramesSection } from "./limits/PlayersAndFrames.ts"
import { predictionBudgetsSection } from "./limits/PredictionBudgets.ts"
import { projectSizesSection } from "./limits/ProjectSizes.ts"
import { quickMatchSection } from "./limits/QuickMatch.ts"
import { relayRoomsSection } from "./limits/RelayRooms.ts"
import { relayStateSection } from "./limits/RelayState.ts"
import { replaysSection } from "./limits/Replays.ts"
import { retentionTimesSection } from "./limits/RetentionTimes.ts"
import { roomBudgetSection } from "./limits/RoomBudget.ts"
import { schemaSizesSection } from "./limits/SchemaSizes.ts"
import { skillRatingsSection } from "./limits/SkillRatings.ts"
import { slowClientsSection } from "./limits/SlowClients.ts"
import { storageSection } from "./limits/Storage.ts"
import { apiKeySection } from "./resources/ApiKey.ts"
import { durationSection } from "./resources/Duration.ts"
import { projectFileAudienceSection } from "./resources/ProjectFileAudience.ts"
import { projectFileBoardsSection } from "./resources/ProjectFileBoards.ts"
import { projectFileFaultsSection } from "./resources/ProjectFileFaults.ts"
import { projectFileIdSection } from "./resources/ProjectFileId.ts"
import { projectFileKeysSection } from "./resources/ProjectFileKeys.ts"
import { projectFileNameSection } from "./resources/ProjectFileName.ts"
import { projectFileOriginsSection } from "./resources/ProjectFileOrigins.ts"
import { projectFileQueuesSection } from "./resources/ProjectFileQueues.ts"
import { projectFileReadingSection } from "./resources/ProjectFileReading.ts"
import { projectSettingsSection } from "./resources/ProjectSettings.ts"
import { roomDeleteResultSection } from "./resources/RoomDeleteResult.ts"
import { roomDetailSection } from "./resources/RoomDetail.ts"
import { roomRowSection } from "./resources/RoomRow.ts"
import { saveGenerationSection } from "./resources/SaveGeneration.ts"
import { usageCapsSection } from "./resources/UsageCaps.ts"
import type { Row } from "./Row.ts"
import { literalRows, type Section, type SectionRow } from "./Section.ts"
import { keyStatesSection } from "./states/KeyStates.ts"
import { roomDeletionSection } from "./states/RoomDeletion.ts"
import { roomRetentionSection } from "./states/RoomRetention.ts"
import { roomStatesSection } from "./states/RoomStates.ts"
import { versioningSection } from "./Versioning.ts"
import { whatTheServiceDoesSection } from "./WhatTheServiceDoes.ts"

/** Every section of the specification, in its order; a large one is several. */
export const sections: ReadonlyArray<Section> = [
  whatTheServiceDoesSection,
  roomRowSection,
  roomDetailSection,
  roomDeleteResultSection,
  durationSection,
  apiKeySection,
  saveGenerationSection,
  projectSettingsSection,
  projectFileKeysSection,
  projectFileIdSection,
  projectFileNameSection,
  projectFileQueuesSection,
  projectFileBoardsSection,
  projectFileOriginsSection,
  projectFileAudienceSection,
  projectFileReadingSection,
  projectFileFaultsSection,
  usageCapsSection,
  keyStatesSection,
  roomDeletionSection,
  roomRetentionSection,
  roomStatesSection,
  jsonBodiesSection,
  keyRoutesSection,
  roomRoutesSection,
  roomRulesSection,
  settingsRoutesSection,
  openRoutesSection,
  commandsSection,
  keysAndScopesSection,
  loginsAndRefusalsSection,
  joinCredentialsSection,
  eventsSection,
  httpErrorsSection,
  roomErrorsSection,
  errorMessagesSection,
  managementRateSection,
  schemaSizesSection,
  roomBudgetSection,
  playersAndFramesSection,
  connectionsAndJoinsSection,
  chatAndOutboundSection,
  awakeAndNewRoomsSection,
  relayRoomsSection,
  audienceSection,
  relayStateSection,
  playerFieldsSection,
  slowClientsSection,
  projectSizesSection,
  storageSection,
  openRateRulesSection,
  openRatesSection,
  leaderboardsSection,
  quickMatchSection,
  skillRatingsSection,
  predictionBudgetsSection,
  replaysSection,
  retentionTimesSection,
  capStatesSection,
  versioningSection
]

const all = sections.flatMap((section) => section.rows)

/** The literals of every row. */
export const rows: ReadonlyArray<Row> = literalRows(all)

/** Rules that every exchange must hold, each with the id of its row. */
export const ambientRules: ReadonlyArray<AmbientRule> = all.flatMap(({ id, more }) =>
  (more.ambient ?? []).map((rule) => ({ ids: [id] as const, ...rule }))
)

/** Rows that checks of other rows prove, with the names of those checks. */
const naming = all.flatMap(({ id, more: { provedBy } }) =>
  provedBy === undefined ? [] : [{ id, names: [provedBy].flat() }]
)

/** Every check: it proves the row that it stands in, and the rows that name that one. */
export const checks: ReadonlyArray<Check> = all.flatMap((row) =>
  probesOf(row).map((probe) => ({ ids: [row.id, ...namingIds(row, probe)], ...probe }))
)

function probesOf({ id, more: { check = [] } }: SectionRow): ReadonlyArray<Probe> {
  const besides: ReadonlyArray<Probe | ProbeOf> = [check].flat()
  return besides.map((beside) => (typeof beside === "function" ? beside(id) : beside))
}

function namingIds({ id }: SectionRow, { name }: Probe): ReadonlyArray<string> {
  const own = [id, `${id}#${name}`]
  return naming.filter(({ names }) => names.some((one) => own.includes(one))).map((row) => row.id)
}
