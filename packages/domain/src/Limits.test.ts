import { describe, expect, test } from "vitest"

import { KiB, type Limit, Limits, MiB } from "./Limits.ts"

const rows = Object.entries<Limit>(Limits)

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
  ["limits.schema.fields.entity", Limits.schemaFields.max, 255],
  ["limits.schema.messages", Limits.schemaMessages.max, 256],
  ["limits.schema.rpcs", Limits.schemaRpcs.max, 60_000],
  ["limits.player-fields.bytes", Limits.playerFieldsBytes.max, 4 * KiB],
  ["limits.player-fields.players", Limits.players.max, 10_000],
  ["limits.saves", Limits.saveGenerations.max, 10],
  ["error.message.96-bytes", Limits.messageBytes.max, 96],
  ["limits.connections.default", Limits.connectionsPerIpPerMinDefault.max, 120],
  ["T-25", Limits.connectionsPerIpPerMin.min, 1],
  ["T-25", Limits.connectionsPerIpPerMin.max, 100_000],
  ["project.patch.vmMemMib.min", Limits.vmMemMib.min, 128],
  ["project.patch.vmMemMib.max", Limits.vmMemMib.max, 4096],
  ["queues.max-32", Limits.queues.max, 32],
  ["match.queue-name.length", Limits.queueNameChars.max, 32],
  ["queues.size.min", Limits.queueSize.min, 2],
  ["queues.size.max", Limits.queueSize.max, 64],
  ["D-33", Limits.queueTeams.min, 2],
  ["D-33", Limits.queueTeams.max, 16],
  ["D-33", Limits.teamSize.min, 1],
  ["D-33", Limits.teamSize.max, 32],
  ["lb.name.length", Limits.boardNameChars.max, 64],
  ["D-34", Limits.seasonNameChars.max, 64],
  ["D-34", Limits.boardKeep.min, 1],
  ["D-34", Limits.boardKeep.max, 120],
  ["D-39", Limits.allowanceRoomHours.max, 100],
  ["D-39", Limits.allowanceStorageBytes.max, 1024 * MiB],
  ["D-39", Limits.allowanceDataOutBytes.max, 10 * 1024 * MiB],
  ["limits.free.awake", Limits.roomsAwakeFree.max, 10],
  ["limits.maxClients.default", Limits.maxClientsDefault.max, 64],
  ["limits.frames.rate", Limits.frames.tokens, 240],
  ["limits.frames.burst", Limits.frames.burst, 480],
  ["limits.frames.rate", Limits.frames.everyMs, 1000],
  ["limits.handshake.timeout", Limits.handshake.ms, 5000],
  ["limits.joins.address", Limits.joinsByAddress.burst, 600],
  ["limits.joins.address", Limits.joinsByAddress.tokens, 600],
  ["limits.joins.address", Limits.joinsByAddress.everyMs, 60_000],
  ["limits.joins.project", Limits.joins.burst, 6000],
  ["limits.joins.project", Limits.joins.tokens, 6000],
  ["limits.joins.project", Limits.joins.everyMs, 60_000],
  ["limits.newrooms.count", Limits.newRooms.burst, 60],
  ["limits.newrooms.count", Limits.newRooms.tokens, 60],
  ["limits.newrooms.count", Limits.newRooms.everyMs, 60_000],
  ["limits.chat.bytes", Limits.chatBytes.max, 512],
  ["limits.chat.burst", Limits.chatLines.burst, 5],
  ["limits.chat.rate", Limits.chatLines.tokens, 1],
  ["limits.chat.rate", Limits.chatLines.everyMs, 1000],
  ["limits.outbound.player", Limits.outboundPlayerBytes.max, 4 * MiB],
  ["limits.outbound.viewer", Limits.outboundViewerBytes.max, 256 * KiB],
  ["limits.audience.seats", Limits.audienceSeats.max, 256],
  ["limits.audience.seats.free", Limits.audienceSeatsFree.max, 64],
  ["limits.audience.msg.burst", Limits.audienceMessages.burst, 10],
  ["limits.audience.msg.rate", Limits.audienceMessages.tokens, 2],
  ["limits.audience.msg.rate", Limits.audienceMessages.everyMs, 1000],
  ["limits.audience.lifetime", Limits.audienceTokenLife.ms, 10_800_000],
  ["audienceRole.length", Limits.audienceRoleChars.max, 32],
  ["rate.identity.mint.address.burst", Limits.identityMintsByAddress.burst, 30],
  ["rate.identity.mint.address.refill", Limits.identityMintsByAddress.tokens, 60],
  ["rate.identity.mint.address.refill", Limits.identityMintsByAddress.everyMs, 3_600_000],
  ["rate.identity.mint.project.burst", Limits.identityMints.burst, 600],
  ["rate.identity.mint.project.refill", Limits.identityMints.tokens, 600],
  ["rate.identity.mint.project.refill", Limits.identityMints.everyMs, 60_000],
  ["rate.leaderboard.read.address.burst", Limits.boardReadsByAddress.burst, 30],
  ["rate.leaderboard.read.address.refill", Limits.boardReadsByAddress.tokens, 120],
  ["rate.leaderboard.read.address.refill", Limits.boardReadsByAddress.everyMs, 60_000],
  ["rate.leaderboard.read.project.burst", Limits.boardReads.burst, 300],
  ["rate.leaderboard.read.project.refill", Limits.boardReads.tokens, 3000],
  ["rate.leaderboard.read.project.refill", Limits.boardReads.everyMs, 60_000],
  ["rate.audience.mint.address.burst", Limits.audienceMintsByAddress.burst, 30],
  ["rate.audience.mint.address.refill", Limits.audienceMintsByAddress.tokens, 60],
  ["rate.audience.mint.address.refill", Limits.audienceMintsByAddress.everyMs, 3_600_000],
  ["rate.audience.mint.room.burst", Limits.audienceMints.burst, 512],
  ["rate.audience.mint.room.refill", Limits.audienceMints.tokens, 600],
  ["rate.audience.mint.room.refill", Limits.audienceMints.everyMs, 3_600_000],
  ["state.worker.three-restarts-close", Limits.restarts.max, 3],
  ["state.worker.three-restarts-close", Limits.restartsWindow.ms, 60_000],
  ["limits.bundle", Limits.bundleBytes.max, 32 * MiB],
  ["limits.log.line", Limits.logLineUnits.max, 8192],
  ["limits.log.ingest", Limits.logIngest.tokens, 256 * KiB],
  ["limits.log.ingest", Limits.logIngest.everyMs, 60_000],
  ["D-17", Limits.keyLabelChars.max, 100],
  ["D-18", Limits.keyUseWrites.ms, 60_000],
  ["D-02", Limits.bodyBytes.max, MiB],
  ["D-05", Limits.roomIdChars.max, 128],
  ["D-23", Limits.deviceLoginLife.ms, 600_000],
  ["D-23", Limits.devicePoll.ms, 5000],
  ["D-23", Limits.cliTokenLife.ms, 90 * 86_400_000],
  ["D-23", Limits.sessionLife.ms, 30 * 86_400_000],
  ["D-24", Limits.frameBytes.max, MiB],
  ["D-24", Limits.pingEvery.ms, 20_000],
  ["D-25", Limits.playerIdBytes.max, 256],
  ["D-25", Limits.joinTokenLife.ms, 86_400_000],
  ["D-25", Limits.jwtSecretOverlap.ms, 86_400_000],
  ["D-25", Limits.clockLeeway.ms, 60_000],
  ["D-46", Limits.serverBudget.max, 120],
  ["D-48", Limits.snapshotEvery.ms, 10_000],
  ["D-48", Limits.generationEvery.ms, 600_000],
  ["D-48", Limits.hibernateAfter.ms, 30_000]
])("[%s] %i is %i", (_id, limit, value) => {
  expect(limit).toBe(value)
})

/** `[what, the smaller, the larger]`: what breaks when one of two limits moves alone. */
test.each([
  ["a type's default clients are allowed", Limits.maxClientsDefault.max, Limits.maxClients.max],
  ["the default idle span is allowed", Limits.hibernateAfter.ms, Limits.hibernateAfterMs.ms],
  ["the default session span is allowed", Limits.reconnectFor.ms, Limits.reconnectForMs.ms],
  ["a generation is a snapshot", Limits.snapshotEvery.ms, Limits.generationEvery.ms],
  ["a snapshot fits a frame of the process", Limits.snapshotBytes.max, Limits.roomFrameBytes.max],
  ["a bundle fits a frame of the process", Limits.bundleBytes.max, Limits.roomFrameBytes.max],
  [
    "a client's frame fits a frame of the process",
    Limits.frameBytes.max,
    Limits.roomFrameBytes.max
  ],
  ["a hello is a frame", Limits.helloBytes.max, Limits.frameBytes.max],
  ["a chat line fits a frame", Limits.chatBytes.max, Limits.frameBytes.max],
  ["a string field fits a frame", Limits.stringBytes.max, Limits.frameBytes.max],
  [
    "a frame fits a client's outbound buffer",
    Limits.frameBytes.max,
    Limits.outboundPlayerBytes.max
  ],
  ["what a client keeps fits its frames", Limits.clientQueue.max, Limits.frames.burst],
  ["a start ends before its caller gives up", Limits.roomStart.ms, Limits.actorCall.ms],
  ["a join ends before its client gives up", Limits.roomJoin.ms, Limits.clientJoin.ms],
  ["a drain at shutdown ends before its call", Limits.drain.ms, Limits.actorCall.ms],
  ["a device may poll before it is too late", Limits.devicePoll.ms, Limits.deviceLoginLife.ms],
  ["a use is written while its login lives", Limits.loginUseWrites.ms, Limits.sessionLife.ms],
  ["back-off grows", Limits.clientBackoffBase.ms, Limits.clientBackoffCap.ms],
  ["the room's row trails by seconds", Limits.reportEvery.ms, Limits.snapshotEvery.ms],
  ["a room waits for an RPC less than its client", Limits.roomRpc.ms, Limits.clientRequest.ms]
])("[limits.relations] %s", (_what, smaller, larger) => {
  expect(smaller).toBeLessThanOrEqual(larger)
})
