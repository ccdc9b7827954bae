import { AllLimits } from "@atrium/domain/testing/AllLimits"
import { type Limit } from "@atrium/wire/limits/Limit"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"

/** Where the service holds a number of a row of the suite. */
export interface Counterpart {
  /** Field of the row, or name in its `is`. */
  readonly field: string
  /** As one reads it in the service. */
  readonly name: string
  readonly value: number
}

type LimitName = keyof typeof AllLimits

const limitOf = (name: LimitName): Limit => AllLimits[name]

/** The largest that is taken; of a range the smallest, too. */
const bound = (name: LimitName): ReadonlyArray<Counterpart> => {
  const limit = limitOf(name)
  if (limit.kind === "rate") throw new Error(`Limits.${name} is no bound`)
  if (limit.kind === "span")
    return [{ field: "accept", name: `Limits.${name}.ms`, value: limit.ms }]
  const max = { field: "accept", name: `Limits.${name}.max`, value: limit.max }
  return limit.kind === "range"
    ? [max, { field: "least", name: `Limits.${name}.min`, value: limit.min }]
    : [max]
}

const pace = (name: LimitName): ReadonlyArray<Counterpart> => {
  const limit = limitOf(name)
  if (limit.kind !== "rate") throw new Error(`Limits.${name} is no rate`)
  return [
    { field: "burst", name: `Limits.${name}.burst`, value: limit.burst },
    { field: "rate", name: `Limits.${name}.tokens`, value: limit.tokens },
    { field: "perMs", name: `Limits.${name}.everyMs`, value: limit.everyMs }
  ]
}

/** One number of a limit that a field of the row is. */
const as = (
  field: string,
  name: LimitName,
  part: "max" | "min" | "ms" | "tokens"
): ReadonlyArray<Counterpart> => {
  const parts = new Map<string, unknown>(Object.entries(limitOf(name)))
  const value = parts.get(part)
  if (typeof value !== "number") throw new Error(`Limits.${name} has no ${part}`)
  return [{ field, name: `Limits.${name}.${part}`, value }]
}

const mib = 1024 * 1024
/** All of a server's budget, in shares of a class. */
const perServer = (name: keyof typeof RoomClasses): number =>
  AllLimits.serverBudget.max / RoomClasses[name].cost
const ofClass = (name: keyof typeof RoomClasses, field: "memory" | "awake") => [
  field === "memory"
    ? { field: "accept", name: `RoomClasses.${name}`, value: RoomClasses[name].memoryMiB * mib }
    : { field: "accept", name: `RoomClasses.${name}.cost`, value: perServer(name) }
]

/** The row of an id, and where the service holds its numbers: typed twice, on purpose. */
export const counterparts: Readonly<Record<string, ReadonlyArray<Counterpart>>> = {
  "saves.retention-10": as("newest", "saveGenerations", "max"),
  "project.patch.connections.null-restores-default": as(
    "perMinute",
    "connectionsPerIpPerMinDefault",
    "max"
  ),
  "project.patch.vmMemMib.min": as("accept", "vmMemMib", "min"),
  "project.patch.vmMemMib.max": bound("vmMemMib"),
  "selfrun.connections-zero-refused": as("accept", "connectionsPerIpPerMin", "min"),
  "queues.size.min": as("accept", "queueSize", "min"),
  "queues.size.max": as("accept", "queueSize", "max"),
  "queues.max-32": bound("queues"),
  "state.room.retention-sweep": as("sweepMs", "sweepEvery", "ms"),
  "state.worker.three-restarts-close": [
    ...as("restarts", "restarts", "max"),
    ...as("withinMs", "restartsWindow", "ms")
  ],
  "error.message.96-bytes": bound("messageBytes"),
  "limits.schema.fields.entity": bound("schemaFields"),
  "limits.schema.messages": bound("schemaMessages"),
  "limits.schema.rpcs": bound("schemaRpcs"),
  "budget.standard.memory": ofClass("standard", "memory"),
  "budget.standard.awake": ofClass("standard", "awake"),
  "budget.large.memory": ofClass("large", "memory"),
  "budget.large.awake": ofClass("large", "awake"),
  "budget.xlarge.memory": ofClass("xlarge", "memory"),
  "budget.xlarge.awake": ofClass("xlarge", "awake"),
  "limits.bundle": bound("bundleBytes"),
  "limits.log.line": bound("logLineUnits"),
  "limits.log.ingest": pace("logIngest"),
  "limits.log.buffer": as("newest", "logBuffer", "max"),
  "retention.logs": as("forMs", "logKept", "ms"),
  "limits.maxClients.default": bound("maxClientsDefault"),
  "limits.frames.rate": pace("frames"),
  "limits.connections.burst": as("burst", "connectionsPerIpPerMinDefault", "max"),
  "limits.joins.address": pace("joinsByAddress"),
  "limits.joins.project": pace("joins"),
  "limits.newrooms.count": pace("newRooms"),
  "limits.handshake.timeout": bound("handshake"),
  "limits.chat.bytes": bound("chatBytes"),
  "limits.chat.rate": pace("chatLines"),
  "limits.outbound.player": bound("outboundPlayerBytes"),
  "limits.outbound.viewer": bound("outboundViewerBytes"),
  "limits.relay.players": bound("relayPlayers"),
  "limits.free.awake": bound("roomsAwakeFree"),
  "memory.dev-heap": as("heapBytes", "devHeap", "max"),
  "limits.relay.players.free": bound("relayPlayersFree"),
  "limits.relay.message-size": bound("relayFrameBytes"),
  "limits.relay.bytes.rate": pace("relayBytes"),
  "limits.relay.state": bound("relayStateBytes"),
  "limits.relay.records": bound("relayRecords"),
  "limits.relay.write-ops": pace("relayWriteOps"),
  "limits.relay.ownership-timeout": bound("relayOwnershipAnswer"),
  "limits.audience.seats": bound("audienceSeats"),
  "limits.audience.seats.free": bound("audienceSeatsFree"),
  "limits.audience.msg.rate": pace("audienceMessages"),
  "auth.audience.lifetime-3h": as("forMs", "audienceTokenLife", "ms"),
  "audienceRole.length": as("accept", "audienceRoleChars", "max"),
  "rate.identity.mint.address.burst": pace("identityMintsByAddress"),
  "rate.identity.mint.project.burst": pace("identityMints"),
  "rate.leaderboard.read.address.burst": pace("boardReadsByAddress"),
  "rate.leaderboard.read.project.burst": pace("boardReads"),
  "rate.audience.mint.address.burst": pace("audienceMintsByAddress"),
  "rate.audience.mint.room.burst": pace("audienceMints"),
  "limits.player-fields.bytes": bound("playerFieldsBytes"),
  "limits.player-fields.players": bound("players"),
  "kv.limit.value": bound("kvValueBytes"),
  "kv.limit.key": bound("kvKeyBytes"),
  "kv.limit.playerId": bound("playerIdBytes"),
  "kv.limit.keys-per-player": bound("kvKeys"),
  "kv.limit.rows": bound("kvRows"),
  "kv.rate.reads": pace("kvReads"),
  "kv.rate.writes": pace("kvWrites"),
  "state.row.pruned-30d": as("forMs", "rowKept", "ms"),
  "retention.state.type-window": as("sweepMs", "sweepEvery", "ms"),
  "lb.name.length": bound("boardNameChars"),
  "lb.rows": bound("boardRows"),
  "lb.top.default": as("rows", "topRowsDefault", "max"),
  "lb.top.max": as("accept", "topRows", "max"),
  "lb.around.default": as("rowsEachSide", "aroundRowsDefault", "max"),
  "lb.around.max": as("accept", "aroundRows", "max"),
  "boards.keep.default": as("newest", "boardKeepDefault", "max"),
  "match.party.queue-range": bound("queueSize"),
  "match.queue-name.length": bound("queueNameChars"),
  "rating.report.players": bound("ratingReportPlayers"),
  "rating.place": bound("ratingPlace"),
  "rating.rows": bound("ratings"),
  "queues.teams.limits": [
    ...as("teamsLeast", "queueTeams", "min"),
    ...as("teamsMost", "queueTeams", "max"),
    ...as("playersMost", "teamSize", "max"),
    ...as("seats", "queueSize", "max")
  ],
  "auth.login.obtaining": [
    ...as("expiresInMs", "deviceLoginLife", "ms"),
    ...as("intervalMs", "devicePoll", "ms"),
    ...as("livesForMs", "cliTokenLife", "ms")
  ],
  "auth.join-credential.format": [
    ...as("longestMs", "joinTokenLife", "ms"),
    ...as("leewayMs", "clockLeeway", "ms"),
    ...as("playerBytes", "playerIdBytes", "max")
  ],
  "caps.dataout.sustained": [
    ...as("forMs", "sustainedFor", "ms"),
    ...as("bytesPerSecond", "sustainedRate", "tokens")
  ],
  "events.sustained-rate.log": [...as("forMs", "sustainedFor", "ms")],
  "events.dataout.warning-80": [...as("percent", "alertPercent", "max")],
  "limits.intro.mgmt-rate": [
    ...as("roomHours", "allowanceRoomHours", "max"),
    ...as("storageBytes", "allowanceStorageBytes", "max"),
    ...as("dataOutBytes", "allowanceDataOutBytes", "max")
  ],
  "limits.voice.ports": [
    ...as("fromPort", "voicePorts", "min"),
    ...as("toPort", "voicePorts", "max")
  ],
  "limits.physics.history": bound("physicsHistory"),
  "limits.physics.channels": bound("physicsChannels"),
  "predict.bodies": as("maxPredictedBodies", "predictedBodies", "max"),
  "predict.proxies": as("maxProxyBodies", "proxyBodies", "max"),
  "replay.seconds.default": as("seconds", "replaySecondsDefault", "max"),
  "replay.seconds.max": as("accept", "replaySeconds", "max"),
  "replay.memory": bound("ringBytes"),
  "replay.clip.rate": pace("clips"),
  "replay.clip.size": bound("clipBytes"),
  "replay.ttl.default": as("forMs", "replayTtl", "ms"),
  "replay.ttl.grace-minute": as("graceMs", "linkGrace", "ms"),
  "replay.recording.size": bound("recordingBytes"),
  "replay.chunks.waiting": bound("chunksWaiting"),
  "replay.excerpt.window": bound("excerptWindow"),
  "replay.excerpt.concurrent": pace("excerpts"),
  "replay.excerpt.output": bound("excerptBytes")
}

/** Rows whose numbers the service holds nowhere that can be compared, by the start of their ids. */
export const without: ReadonlyArray<readonly [start: string, reason: string]> = [
  ["rooms.detail.one-storage-listing", "is counted by a hook"],
  ["rooms.row.slot.meaning", "is the first of the whole numbers"],
  ["rooms.list.pagination", "is a case, no limit"],
  ["version.policy", "nothing has been announced yet"],
  ["http.success-status", "is in the contract, packages/domain/src/http"],
  ["duration.", "is in the grammar of Duration.ts, whose test has both sides"],
  ["queues.empty-clears", "is said by the default queue of Queues.ts"],
  ["file.name.label-only", "is a case, no limit"],
  ["error.message.ellipsis", "is the length of …"],
  ["budget.free-stays-one", "is a rule of ServerMachine.ts"],
  ["project.vmMem.auto", "the sizes of servers are in ServerSettings.ts"],
  ["caps.lag.", "is what the reports, samples and looks of MeterLimits.ts leave time for"],
  ["caps.dataout.overshoot", "is what the reports and looks of MeterLimits.ts leave time for"],
  ["events.cap.email", "is the key of the alert, in AlertStore.ts"],
  ["events.dataout.warning-limit", "is the cap itself"],
  ["lb.score", "is the range of whole numbers of JavaScript"],
  ["limits.connections.ipv6-64", "is in ClientAddress.ts, whose test has both sides"],
  [
    "rate.",
    "the endpoint, or that /64 networks count, is held in ClientAddress.ts or not built yet"
  ],
  ["limits.room.traffic-443", "is set by who runs the service"],
  ["limits.player-fields.retention", "players' fields are not forgotten yet"],
  ["account.", "accounts of players are not built yet"],
  ["match.", "matches are not built yet"],
  ["rating.band.", "matches are not built yet"],
  ["rating.", "a rule of Glicko.ts, which no row of limits holds"],
  ["replay.ttl.range", "is in the grammar of Duration.ts, whose test has both sides"]
]
