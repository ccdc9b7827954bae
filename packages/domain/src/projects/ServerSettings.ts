import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"

import type { Tier } from "../meters/Caps.ts"
import { ServerLimits } from "../servers/ServerLimits.ts"
import { ProjectLimits } from "./ProjectLimits.ts"

/** Settings of a project's server, fixed from the start of its first room until it holds none. */
export interface ServerSettings {
  readonly connectionsPerIpPerMin: number
  /** Of the server itself, its rooms not counted. Source: T-43. */
  readonly vmMemMib: number
  /** Of all its rooms together. */
  readonly roomsMib: number
}

/** On what terms a server takes rooms. */
export interface ServerTerms {
  readonly plan: Tier
  /** Memory that its rooms may take together, in MiB. */
  readonly roomsMib: number
}

/** Settings of servers that a project or the operator may choose; `null` = not chosen. */
interface Chosen {
  readonly connectionsPerIpPerMin: number | null
  readonly vmMemMib: number | null
}

/** MiB of a server whose project has set nothing. Spec: Project settings and caps, Effects; T-43. */
const automaticMib = { plain: 128, physics: 256 } as const

/** Memory that a full server of one class takes, in MiB. */
const fullMib = (roomClass: RoomClass): number => {
  const { cost, memoryMiB } = RoomClasses[roomClass]
  return Math.floor(ServerLimits.serverBudget.max / cost) * memoryMiB
}

/**
 * Memory for the rooms of a server, in MiB: what it takes when it is full of the largest class that
 * is declared. So no mixture of rooms that are within their ceilings is over it. Declaring nothing
 * gives Standard. Spec: Room budget per server; T-43.
 */
export const roomsMibOf = (classes: ReadonlyArray<RoomClass>): number =>
  Math.max(fullMib("standard"), ...classes.map(fullMib))

/**
 * The setting of the project wins; then the setting of the operator, in the environment of the service;
 * then the default. Memory that is set wins, also over the size that physics would need.
 * Spec: Project settings and caps, Effects.
 *
 * @param physics whether a schema of the deployment declares physics
 * @param classes those that its room types declare
 */
export const serverSettings = ({
  project,
  service,
  physics,
  classes
}: {
  readonly project: Chosen
  readonly service: Pick<Chosen, "connectionsPerIpPerMin">
  readonly physics: boolean
  readonly classes: ReadonlyArray<RoomClass>
}): ServerSettings => ({
  connectionsPerIpPerMin:
    project.connectionsPerIpPerMin ??
    service.connectionsPerIpPerMin ??
    ProjectLimits.connectionsPerIpPerMinDefault.max,
  vmMemMib: project.vmMemMib ?? (physics ? automaticMib.physics : automaticMib.plain),
  roomsMib: roomsMibOf(classes)
})
