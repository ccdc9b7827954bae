/** The versions of the runners' protocol that a program speaks. */
export interface ProtocolVersions {
  readonly oldest: number
  readonly newest: number
}

/**
 * The protocol of runners: the frames of links and the messages of actors have one version. A program speaks its
 * own version and the one before, so that runners can be replaced one after the other. Source: C-425.
 *
 * 1. Links carry clients.
 * 2. A runner asks another one (`ask`, `more`, `enough`, `answer`, `unanswered`), and the clients of a room that moves
 *    follow it (`hold`, `held`, `moved`).
 * 3. Clients of a runner talk in the call of a room of another one (`voice`), stored rooms and players are led over the
 *    steps of versions, and a server makes a clip of a room (`MakeClip`). A runner answers questions of those who look
 *    into rooms, and tells its part of a project's series (`questionsSince`). Rooms for trying (branches, rooms of the
 *    playground) keep to themselves (`inertSince`). A server tells that a version does not lead a room's state on
 *    (`StartFailed.quarantined`). The end of a process that rooms shared counts for none of them (`ProcessExited.shared`).
 */
export const runnerProtocol: ProtocolVersions = { oldest: 2, newest: 3 }

/** The first version whose rooms have calls. */
export const voiceSince = 3

/** The first version whose runners lead stored state over the steps of versions. */
export const stepsSince = 3

/** The first version whose rooms record what becomes a clip. */
export const clipsSince = 3

/** The first version whose runners keep branches and rooms of the playground to themselves. */
export const inertSince = 3

/** The questions that came after questions themselves, each with the first version whose runners know it. */
export const questionsSince: ReadonlyMap<string, number> = new Map([
  ["inspect.state", 3],
  ["inspect.clients", 3],
  ["inspect.kick", 3],
  ["inspect.clock", 3],
  ["metrics.series", 3]
])

/** The version that two programs speak with each other; `null` = they have none in common. */
export const commonVersion = (one: ProtocolVersions, other: ProtocolVersions): number | null => {
  const version = Math.min(one.newest, other.newest)
  return version < one.oldest || version < other.oldest ? null : version
}

/** The versions of a program in words. */
export const versionsText = ({ oldest, newest }: ProtocolVersions): string =>
  oldest === newest ? `version ${newest}` : `versions ${oldest} to ${newest}`
