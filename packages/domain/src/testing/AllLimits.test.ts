import { globSync } from "node:fs"
import { join } from "node:path"

import { KiB, type Limit, MiB } from "@atrium/wire/limits/Limit"
import { describe, expect, test } from "vitest"

import { AllLimits } from "./AllLimits.ts"

const rows = Object.entries<Limit>(AllLimits)

const numbersOf = (limit: Limit): ReadonlyArray<number> => {
  switch (limit.kind) {
    case "count":
    case "size":
      return [limit.max]
    case "range":
      return [limit.min, limit.max]
    case "rate":
      return [limit.burst, limit.tokens, limit.everyMs]
    case "span":
      return [limit.ms]
  }
}

describe("every row", () => {
  test.each(rows)(
    "[limits.rows] %s has a subject, a consequence and whole numbers",
    (_name, limit) => {
      expect(limit.says.trim()).not.toBe("")
      expect(limit.per.trim()).not.toBe("")
      expect(limit.past.trim()).not.toBe("")
      for (const number of numbersOf(limit)) {
        expect(Number.isSafeInteger(number)).toBe(true)
        expect(number).toBeGreaterThan(0)
      }
    }
  )

  test("[limits.rows] AllLimits has the rows of every file of limits", async () => {
    const packages = join(import.meta.dirname, "../../..")
    const paths = globSync("{wire,domain}/src/*/*Limits.ts", { cwd: packages })
    expect(paths.length).toBeGreaterThan(20)
    const known = new Set<unknown>(rows.map(([, row]) => row))
    for (const path of paths.filter((each) => !each.endsWith("AllLimits.ts"))) {
      const module: Record<string, unknown> = await import(join(packages, path))
      const tables = Object.entries(module).filter(([name]) => name.endsWith("Limits"))
      const missing = tables.flatMap(([, table]) =>
        Object.entries(Object(table)).flatMap(([name, row]) => (known.has(row) ? [] : [name]))
      )
      expect([path, missing]).toEqual([path, []])
    }
  })

  test("[limits.rows] no limit stands twice", () => {
    const said = rows.map(([, limit]) => limit.says)
    expect(said.filter((says, index) => said.indexOf(says) !== index)).toEqual([])
  })

  test("[limits.rows] a named refusal is spelled as a code", () => {
    for (const [, { past }] of rows)
      if (past.includes("E_")) expect(past).toMatch(/E_[A-Z]+(_[A-Z]+)*$/)
  })
})

/** The specification's numbers, repeated here so that a slip in the table shows. */
test.each([
  ["limits.schema.fields.entity", AllLimits.schemaFields.max, 255],
  ["limits.schema.messages", AllLimits.schemaMessages.max, 256],
  ["limits.schema.rpcs", AllLimits.schemaRpcs.max, 60_000],
  ["limits.player-fields.bytes", AllLimits.playerFieldsBytes.max, 4 * KiB],
  ["limits.player-fields.players", AllLimits.players.max, 10_000],
  ["limits.saves", AllLimits.saveGenerations.max, 10],
  ["error.message.96-bytes", AllLimits.messageBytes.max, 96],
  ["limits.connections.default", AllLimits.connectionsPerIpPerMinDefault.max, 120],
  ["T-25", AllLimits.connectionsPerIpPerMin.min, 1],
  ["T-25", AllLimits.connectionsPerIpPerMin.max, 100_000],
  ["project.patch.vmMemMib.min", AllLimits.vmMemMib.min, 128],
  ["project.patch.vmMemMib.max", AllLimits.vmMemMib.max, 4096],
  ["queues.max-32", AllLimits.queues.max, 32],
  ["match.queue-name.length", AllLimits.queueNameChars.max, 32],
  ["queues.size.min", AllLimits.queueSize.min, 2],
  ["queues.size.max", AllLimits.queueSize.max, 64],
  ["D-33", AllLimits.queueTeams.min, 2],
  ["D-33", AllLimits.queueTeams.max, 16],
  ["D-33", AllLimits.teamSize.min, 1],
  ["D-33", AllLimits.teamSize.max, 32],
  ["lb.name.length", AllLimits.boardNameChars.max, 64],
  ["D-34", AllLimits.seasonNameChars.max, 64],
  ["D-34", AllLimits.boardKeep.min, 1],
  ["D-34", AllLimits.boardKeep.max, 120],
  ["D-39", AllLimits.allowanceRoomHours.max, 100],
  ["D-39", AllLimits.allowanceStorageBytes.max, 1024 * MiB],
  ["D-39", AllLimits.allowanceDataOutBytes.max, 10 * 1024 * MiB],
  ["limits.free.awake", AllLimits.roomsAwakeFree.max, 10],
  ["limits.maxClients.default", AllLimits.maxClientsDefault.max, 64],
  ["limits.frames.rate", AllLimits.frames.tokens, 240],
  ["limits.frames.burst", AllLimits.frames.burst, 480],
  ["limits.frames.rate", AllLimits.frames.everyMs, 1000],
  ["limits.handshake.timeout", AllLimits.handshake.ms, 5000],
  ["limits.joins.address", AllLimits.joinsByAddress.burst, 600],
  ["limits.joins.address", AllLimits.joinsByAddress.tokens, 600],
  ["limits.joins.address", AllLimits.joinsByAddress.everyMs, 60_000],
  ["limits.joins.project", AllLimits.joins.burst, 6000],
  ["limits.joins.project", AllLimits.joins.tokens, 6000],
  ["limits.joins.project", AllLimits.joins.everyMs, 60_000],
  ["limits.newrooms.count", AllLimits.newRooms.burst, 60],
  ["limits.newrooms.count", AllLimits.newRooms.tokens, 60],
  ["limits.newrooms.count", AllLimits.newRooms.everyMs, 60_000],
  ["limits.chat.bytes", AllLimits.chatBytes.max, 512],
  ["limits.chat.burst", AllLimits.chatLines.burst, 5],
  ["limits.chat.rate", AllLimits.chatLines.tokens, 1],
  ["limits.chat.rate", AllLimits.chatLines.everyMs, 1000],
  ["limits.outbound.player", AllLimits.outboundPlayerBytes.max, 4 * MiB],
  ["limits.outbound.viewer", AllLimits.outboundViewerBytes.max, 256 * KiB],
  ["limits.audience.seats", AllLimits.audienceSeats.max, 256],
  ["limits.audience.seats.free", AllLimits.audienceSeatsFree.max, 64],
  ["limits.audience.msg.burst", AllLimits.audienceMessages.burst, 10],
  ["limits.audience.msg.rate", AllLimits.audienceMessages.tokens, 2],
  ["limits.audience.msg.rate", AllLimits.audienceMessages.everyMs, 1000],
  ["limits.audience.lifetime", AllLimits.audienceTokenLife.ms, 10_800_000],
  ["audienceRole.length", AllLimits.audienceRoleChars.max, 32],
  ["rate.identity.mint.address.burst", AllLimits.identityMintsByAddress.burst, 30],
  ["rate.identity.mint.address.refill", AllLimits.identityMintsByAddress.tokens, 60],
  ["rate.identity.mint.address.refill", AllLimits.identityMintsByAddress.everyMs, 3_600_000],
  ["rate.identity.mint.project.burst", AllLimits.identityMints.burst, 600],
  ["rate.identity.mint.project.refill", AllLimits.identityMints.tokens, 600],
  ["rate.identity.mint.project.refill", AllLimits.identityMints.everyMs, 60_000],
  ["rate.leaderboard.read.address.burst", AllLimits.boardReadsByAddress.burst, 30],
  ["rate.leaderboard.read.address.refill", AllLimits.boardReadsByAddress.tokens, 120],
  ["rate.leaderboard.read.address.refill", AllLimits.boardReadsByAddress.everyMs, 60_000],
  ["rate.leaderboard.read.project.burst", AllLimits.boardReads.burst, 300],
  ["rate.leaderboard.read.project.refill", AllLimits.boardReads.tokens, 3000],
  ["rate.leaderboard.read.project.refill", AllLimits.boardReads.everyMs, 60_000],
  ["rate.audience.mint.address.burst", AllLimits.audienceMintsByAddress.burst, 30],
  ["rate.audience.mint.address.refill", AllLimits.audienceMintsByAddress.tokens, 60],
  ["rate.audience.mint.address.refill", AllLimits.audienceMintsByAddress.everyMs, 3_600_000],
  ["rate.audience.mint.room.burst", AllLimits.audienceMints.burst, 512],
  ["rate.audience.mint.room.refill", AllLimits.audienceMints.tokens, 600],
  ["rate.audience.mint.room.refill", AllLimits.audienceMints.everyMs, 3_600_000],
  ["state.worker.three-restarts-close", AllLimits.restarts.max, 3],
  ["state.worker.three-restarts-close", AllLimits.restartsWindow.ms, 60_000],
  ["limits.bundle", AllLimits.bundleBytes.max, 32 * MiB],
  ["limits.log.line", AllLimits.logLineUnits.max, 8192],
  ["limits.log.ingest", AllLimits.logIngest.tokens, 256 * KiB],
  ["limits.log.ingest", AllLimits.logIngest.everyMs, 60_000],
  ["limits.log.buffer", AllLimits.logBuffer.max, 500],
  ["retention.logs", AllLimits.logKept.ms, 7 * 86_400_000],
  ["D-17", AllLimits.keyLabelChars.max, 100],
  ["D-18", AllLimits.keyUseWrites.ms, 60_000],
  ["D-02", AllLimits.bodyBytes.max, MiB],
  ["D-05", AllLimits.roomIdChars.max, 128],
  ["D-23", AllLimits.deviceLoginLife.ms, 600_000],
  ["D-23", AllLimits.devicePoll.ms, 5000],
  ["D-23", AllLimits.cliTokenLife.ms, 90 * 86_400_000],
  ["D-23", AllLimits.sessionLife.ms, 30 * 86_400_000],
  ["D-24", AllLimits.frameBytes.max, MiB],
  ["D-24", AllLimits.pingEvery.ms, 20_000],
  ["D-25", AllLimits.playerIdBytes.max, 256],
  ["D-25", AllLimits.joinTokenLife.ms, 86_400_000],
  ["D-25", AllLimits.jwtSecretOverlap.ms, 86_400_000],
  ["D-25", AllLimits.clockLeeway.ms, 60_000],
  ["D-46", AllLimits.serverBudget.max, 120],
  ["D-48", AllLimits.snapshotEvery.ms, 10_000],
  ["D-48", AllLimits.generationEvery.ms, 600_000],
  ["D-48", AllLimits.hibernateAfter.ms, 30_000]
])("[%s] %i is %i", (_id, limit, value) => {
  expect(limit).toBe(value)
})

/** `[what, the smaller, the larger]`: what breaks when one of two limits moves alone. */
test.each([
  [
    "a type's default clients are allowed",
    AllLimits.maxClientsDefault.max,
    AllLimits.maxClients.max
  ],
  ["the default idle span is allowed", AllLimits.hibernateAfter.ms, AllLimits.hibernateAfterMs.ms],
  ["the default session span is allowed", AllLimits.reconnectFor.ms, AllLimits.reconnectForMs.ms],
  ["a generation is a snapshot", AllLimits.snapshotEvery.ms, AllLimits.generationEvery.ms],
  [
    "a snapshot fits a frame of the process",
    AllLimits.snapshotBytes.max,
    AllLimits.roomFrameBytes.max
  ],
  ["a bundle fits a frame of the process", AllLimits.bundleBytes.max, AllLimits.roomFrameBytes.max],
  [
    "a client's frame fits a frame of the process",
    AllLimits.frameBytes.max,
    AllLimits.roomFrameBytes.max
  ],
  ["a hello is a frame", AllLimits.helloBytes.max, AllLimits.frameBytes.max],
  ["a chat line fits a frame", AllLimits.chatBytes.max, AllLimits.frameBytes.max],
  ["a string field fits a frame", AllLimits.stringBytes.max, AllLimits.frameBytes.max],
  [
    "a frame fits a client's outbound buffer",
    AllLimits.frameBytes.max,
    AllLimits.outboundPlayerBytes.max
  ],
  ["what a client keeps fits its frames", AllLimits.clientQueue.max, AllLimits.frames.burst],
  ["a start ends before its caller gives up", AllLimits.roomStart.ms, AllLimits.actorCall.ms],
  ["a join ends before its client gives up", AllLimits.roomJoin.ms, AllLimits.clientJoin.ms],
  ["a drain at shutdown ends before its call", AllLimits.drain.ms, AllLimits.actorCall.ms],
  [
    "a device may poll before it is too late",
    AllLimits.devicePoll.ms,
    AllLimits.deviceLoginLife.ms
  ],
  ["a use is written while its login lives", AllLimits.loginUseWrites.ms, AllLimits.sessionLife.ms],
  ["back-off grows", AllLimits.clientBackoffBase.ms, AllLimits.clientBackoffCap.ms],
  ["the room's row trails by seconds", AllLimits.reportEvery.ms, AllLimits.snapshotEvery.ms],
  ["a room waits for an RPC less than its client", AllLimits.roomRpc.ms, AllLimits.clientRequest.ms]
])("[limits.relations] %s", (_what, smaller, larger) => {
  expect(smaller).toBeLessThanOrEqual(larger)
})
