import { Machines } from "@atrium/actors/cluster/Machines"
import { type ProtocolVersions, runnerProtocol } from "@atrium/actors/cluster/RunnerProtocol"
import type { Links } from "@atrium/actors/link/Links"
import type { MeterStore } from "@atrium/actors/meters/MeterStore"
import type { MeterCounts } from "@atrium/actors/meters/RunnerMeter"
import type { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"

import { type GameParts, rightGames } from "./GameParts.ts"
import { makeLimiter, type MakeLimiter } from "./Limiters.ts"
import { type RelayParts, relayParts } from "./Relay.ts"
import { rightVersions, type VersionParts } from "./VersionParts.ts"
import { rightVoice, type VoiceParts } from "./VoiceParts.ts"

type RightMachines = (typeof Machines)["Service"]

/** What a world is made of: the product's parts, or ones that are wrong on purpose. */
export interface Parts {
  readonly stepRoom: ReturnType<RightMachines["room"]>
  readonly stepServer: ReturnType<RightMachines["server"]>
  readonly stepSnapshot: RightMachines["snapshot"]
  readonly nextEpoch: (last: number) => number
  /** A write under an epoch that the room's row does not have is refused. */
  readonly fence: boolean
  /** A runner that is alone starts beside no other one. */
  readonly runnerLock: boolean
  /** A runner looks for its rooms of older versions. */
  readonly oldVersions: boolean
  /** Servers are on the runner that a hash of their name gives, and move with it. */
  readonly areHashed: boolean
  /** Changes the awake rooms of a runner. */
  readonly awake: (rooms: AwakeRooms["Service"]) => AwakeRooms["Service"]
  /** Changes what a runner counts. */
  readonly counts: (counts: MeterCounts) => MeterCounts
  /** Changes the store that a runner reports to. */
  readonly meters: (store: MeterStore["Service"]) => MeterStore["Service"]
  /** Changes the links of a runner. */
  readonly links: (links: Links["Service"]) => Links["Service"]
  /** The versions of the link that the next program speaks. */
  readonly nextLink: ProtocolVersions
  readonly makeLimiter: MakeLimiter
  readonly relay: RelayParts
  readonly games: GameParts
  readonly versions: VersionParts
  readonly voice: VoiceParts
}

const { room, server, snapshot } = Machines.defaultValue()

export const rightParts: Parts = {
  stepRoom: room(""),
  stepServer: server(""),
  stepSnapshot: snapshot,
  nextEpoch: (last) => last + 1,
  fence: true,
  runnerLock: true,
  oldVersions: true,
  areHashed: false,
  awake: (rooms) => rooms,
  counts: (counts) => counts,
  meters: (store) => store,
  links: (links) => links,
  nextLink: { oldest: runnerProtocol.newest, newest: runnerProtocol.newest + 1 },
  makeLimiter,
  relay: relayParts,
  games: rightGames,
  versions: rightVersions,
  voice: rightVoice
}
