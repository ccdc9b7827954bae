import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { isViewer } from "@atrium/domain/audience/AudienceRole"
import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import type { Data } from "effect"

import type {
  KeptSession,
  RelayEvent,
  RelaySeatCaps,
  RelaySession,
  RelayState
} from "./RelayState.ts"

type Entrance = Data.TaggedEnum.Value<RelayEvent, "ClientEntered">

/** The seats of a relay room: players and viewers are counted apart. Spec: Connection and room limits. */
export const relaySeatCaps = (plan: "free" | "card", maxClients: number): RelaySeatCaps => {
  const free = plan === "free"
  return {
    players: Math.min(
      maxClients,
      (free ? RelayLimits.relayPlayersFree : RuntimeLimits.relayPlayers).max
    ),
    viewers: (free ? AudienceLimits.audienceSeatsFree : AudienceLimits.audienceSeats).max
  }
}

/** The session that a client comes back to. */
export const sessionOf = (
  { sessions }: RelayState,
  { attachedAs, resumeHash, playerId, role }: Entrance
): RelaySession | undefined => {
  const attached = attachedAs === null ? undefined : sessions.get(attachedAs)
  if (attached?.playerId === playerId) return attached
  if (resumeHash === null) return undefined
  for (const session of sessions.values()) {
    // A client whose role is another now does not play on in the seat of before.
    if (session.playerId !== playerId || session.role !== role) continue
    if (session.resumeHash === resumeHash || session.previousResumeHash === resumeHash) {
      return session
    }
  }
  return undefined
}

export const newSession = (entrance: Entrance): RelaySession => {
  const { sessionId: id, playerId, name, role, nextResumeHash: resumeHash, ref } = entrance
  const kept = { id, playerId, name, role, resumeHash, previousResumeHash: null }
  return { ...kept, viewer: isViewer(role), ref, droppedAtMs: null }
}

export const resumedSession = (session: RelaySession, entrance: Entrance): RelaySession => ({
  ...session,
  previousResumeHash: entrance.resumeHash ?? session.resumeHash,
  resumeHash: entrance.nextResumeHash,
  ref: entrance.ref,
  droppedAtMs: null
})

/** A session of a snapshot: it comes back without a connection, even to a room that is full. */
export const storedSession = (kept: KeptSession, nowMs: number): RelaySession => ({
  id: kept.id,
  playerId: kept.playerId,
  name: kept.name,
  role: kept.role,
  resumeHash: kept.resumeHash,
  previousResumeHash: kept.previousResumeHash,
  viewer: isViewer(kept.role),
  ref: null,
  droppedAtMs: nowMs
})

/** The kind of seats that a role needs, if all of them are taken or kept; `null` = a seat is free. */
export const fullFor = (
  state: RelayState,
  { role, seatsKept = 0 }: Pick<Entrance, "role" | "seatsKept">
): keyof RelaySeatCaps | null => {
  const viewer = isViewer(role)
  const kind = viewer ? "viewers" : "players"
  let taken = viewer ? 0 : seatsKept
  for (const session of state.sessions.values()) if (session.viewer === viewer) taken++
  return taken >= state.seats[kind] ? kind : null
}

export const withSession = (state: RelayState, session: RelaySession): RelayState => ({
  ...state,
  sessions: new Map(state.sessions).set(session.id, session)
})

export const withoutSession = (state: RelayState, sessionId: string): RelayState => {
  const sessions = new Map(state.sessions)
  sessions.delete(sessionId)
  return { ...state, sessions }
}

/** When a dropped session ends; `null` = it has a connection. */
export const sessionEndsAtMs = (
  { reconnectForMs }: RelayState,
  { droppedAtMs }: RelaySession
): number | null => (droppedAtMs === null ? null : droppedAtMs + reconnectForMs)
