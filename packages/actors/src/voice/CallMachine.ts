import { wallText, type CapWall } from "@atrium/domain/meters/Caps"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"
import { utf8Length } from "@atrium/wire/text/Utf8"
import type { VoiceTold } from "@atrium/wire/voice/VoiceFrames"
import { everybody, type VoiceGroups } from "@atrium/wire/voice/VoiceGroups"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"
import { Data } from "effect"

/** A client of the room, as the call sees it. */
export interface CallClient {
  /** Its seat. */
  readonly ref: number
  /** Its session, as other clients know it. */
  readonly clientId: string
  readonly viewer: boolean
}

/** A client that is in the call, or on its way into it. */
interface Participant {
  readonly clientId: string
  /** Its number in the media; another one with each join. */
  readonly media: number
  /** The media have answered: its time is metered. */
  readonly joined: boolean
}

/** A join that waits for word of the wall. */
interface Joining extends Pick<CallClient, "ref" | "clientId"> {
  readonly media: number
  readonly offer: string
}

/** The call of one room. */
export interface CallState {
  /** By seat. */
  readonly participants: ReadonlyMap<number, Participant>
  readonly asking: ReadonlyArray<Joining>
  /** Seats whose media were lost: their call goes on, and they may come back to it. */
  readonly returning: ReadonlySet<number>
  /** The call was running at the runner that had the room before: its participants may come back to it. */
  readonly continued: boolean
  /** Of clients to whom room code has given groups. */
  readonly groups: ReadonlyMap<string, VoiceGroups>
}

export type CallEvent = Data.TaggedEnum<{
  /** @param capacity participants that the room's type declares; `null` = it declares no voice */
  JoinAsked: {
    readonly client: CallClient
    readonly offer: string
    readonly media: number
    readonly capacity: number | null
  }
  WallAnswered: { readonly wall: CapWall | null }
  MediaJoined: { readonly media: number; readonly answer: string }
  /** The media carry the participant's slots over a further connection. */
  MediaOffered: { readonly media: number; readonly offer: string }
  AnswerGiven: { readonly ref: number; readonly answer: string }
  MediaRefused: { readonly media: number; readonly code: string; readonly message: string }
  SlotsChanged: { readonly media: number; readonly speakers: ReadonlyArray<number | null> }
  /** By its own wish, or with its connection. */
  ClientLeft: { readonly ref: number }
  /** The room has given the seat this session. */
  ClientNamed: { readonly ref: number; readonly clientId: string }
  GroupsChanged: {
    readonly changes: ReadonlyArray<{
      readonly sessionId: string
      readonly groups: VoiceGroups | null
    }>
  }
  /** The media of the participant are gone, with those of all others. */
  MediaLost: { readonly media: number }
  /** The room has come from another runner, where its call was running. */
  CallContinued: {}
  /** Who has not come back by now begins a call. */
  ContinuedOver: {}
  /** The room goes to another runner, where the call begins anew. */
  RoomMoved: {}
}>
export const CallEvent = Data.taggedEnum<CallEvent>()

export type CallAction = Data.TaggedEnum<{
  AskWall: {}
  JoinMedia: { readonly media: number; readonly offer: string; readonly groups: VoiceGroups }
  AnswerMedia: { readonly media: number; readonly answer: string }
  LeaveMedia: { readonly media: number }
  SetGroups: { readonly media: number; readonly groups: VoiceGroups }
  BeginMeter: { readonly ref: number }
  EndMeter: { readonly ref: number }
  Tell: { readonly ref: number; readonly told: VoiceTold }
}>
export const CallAction = Data.taggedEnum<CallAction>()
const { AskWall, JoinMedia, AnswerMedia, LeaveMedia } = CallAction
const { SetGroups, BeginMeter, EndMeter, Tell } = CallAction

type Step = readonly [CallState, ReadonlyArray<CallAction>]

export const noCall: CallState = {
  participants: new Map(),
  asking: [],
  returning: new Set(),
  continued: false,
  groups: new Map()
}

/** Clients whose groups are known: all who can be in the room, and as many who have just left it. */
const groupsMax = 2 * SchemaLimits.maxClients.max

/** Total: every event has an answer in every state. Source: D-59. */
export const step = (state: CallState, event: CallEvent): Step => {
  switch (event._tag) {
    case "JoinAsked":
      return joinAsked(state, event)
    case "WallAnswered":
      return wallAnswered(state, event.wall)
    case "MediaJoined":
      return mediaJoined(state, event)
    case "MediaOffered":
      return told(state, event.media, { _tag: "offer", offer: event.offer })
    case "AnswerGiven":
      return answerGiven(state, event)
    case "MediaRefused":
      return mediaRefused(state, event)
    case "SlotsChanged": {
      const names = new Map(inMedia(state).map(([, { media, clientId }]) => [media, clientId]))
      const speakers = event.speakers.map((media) =>
        media === null ? null : (names.get(media) ?? null)
      )
      return told(state, event.media, { _tag: "slots", speakers })
    }
    case "ClientLeft":
      return clientLeft(state, event.ref)
    case "ClientNamed":
      return clientNamed(state, event)
    case "GroupsChanged":
      return groupsChanged(state, event.changes)
    case "MediaLost":
      return mediaLost(state, event.media)
    case "CallContinued":
      return [{ ...state, continued: true }, []]
    case "ContinuedOver":
      return [{ ...state, continued: false }, []]
    case "RoomMoved":
      return roomMoved(state)
  }
}

/** Somebody is in the call, or has lost its media or its runner and may come back. */
export const isRunning = ({ participants, returning, continued }: CallState): boolean =>
  participants.size > 0 || returning.size > 0 || continued

const inMedia = ({ participants }: CallState) => [...participants]

const isTooLong = (sdp: string): boolean => utf8Length(sdp) > VoiceLimits.voiceSdpBytes.max

const groupsOf = ({ groups }: CallState, clientId: string): VoiceGroups =>
  groups.get(clientId) ?? everybody

/** @returns the seat and the participant of a number in the media; `null` = it has left meanwhile */
const found = (state: CallState, media: number): readonly [number, Participant] | null =>
  inMedia(state).find(([, each]) => each.media === media) ?? null

const told = (state: CallState, media: number, what: VoiceTold): Step => {
  const [ref] = found(state, media) ?? []
  return [state, ref === undefined ? [] : [Tell({ ref, told: what })]]
}

const refused = (ref: number, code: string, message: string): CallAction =>
  Tell({ ref, told: { _tag: "refused", code, message } })

/** Tells each participant the list of participants. */
const roll = ({ participants }: CallState): ReadonlyArray<CallAction> => {
  const joined = [...participants].filter(([, each]) => each.joined)
  const names = joined.map(([, { clientId }]) => clientId)
  return joined.map(([ref]) => Tell({ ref, told: { _tag: "call", participants: names } }))
}

const joinAsked = (
  state: CallState,
  { client, offer, media, capacity }: Extract<CallEvent, { readonly _tag: "JoinAsked" }>
): Step => {
  const { ref, clientId } = client
  const refuse = (code: string, message: string): Step => [state, [refused(ref, code, message)]]
  if (capacity === null) return refuse("E_VOICE_OFF", "voice: the room has no calls")
  if (client.viewer) return refuse("E_VOICE_OFF", "voice: viewers have no calls")
  if (isTooLong(offer)) return refuse("E_BAD_MESSAGE", "voice: the SDP is over 16 KiB")
  const joining = { ref, clientId, media, offer }
  const present = state.participants.get(ref)
  if (present !== undefined) {
    const [next, actions] = admitted(state, [joining])
    return [next, [LeaveMedia({ media: present.media }), ...actions]]
  }
  const asking = state.asking.filter((each) => each.ref !== ref)
  if (state.participants.size + asking.length >= capacity) {
    return refuse("E_VOICE_FULL", `voice: the call has all ${capacity} participants`)
  }
  // A wall refuses new calls alone. Source: D-45.
  if (isRunning(state)) return admitted(state, [joining])
  const isAsked = state.asking.length > 0
  return [{ ...state, asking: [...asking, joining] }, isAsked ? [] : [AskWall()]]
}

/** They join the media; somebody who was in the call stays in it meanwhile. */
const admitted = (state: CallState, joins: ReadonlyArray<Joining>): Step => {
  const participants = new Map(state.participants)
  for (const { ref, clientId, media } of joins) {
    const joined = participants.get(ref)?.joined === true
    participants.set(ref, { clientId, media, joined })
  }
  const actions = joins.map(({ media, clientId, offer }) =>
    JoinMedia({ media, offer, groups: groupsOf(state, clientId) })
  )
  return [{ ...state, participants }, actions]
}

const wallAnswered = (state: CallState, wall: CapWall | null): Step => {
  const next = { ...state, asking: [] }
  if (wall === null) return admitted(next, state.asking)
  return [next, state.asking.map(({ ref }) => refused(ref, "E_CAP_REACHED", wallText(wall)))]
}

const mediaJoined = (
  state: CallState,
  { media, answer }: { readonly media: number; readonly answer: string }
): Step => {
  const [ref, participant] = found(state, media) ?? []
  // It has left meanwhile; the media hear of that, too.
  if (ref === undefined || participant === undefined) return [state, []]
  const returning = new Set(state.returning)
  returning.delete(ref)
  const participants = new Map(state.participants).set(ref, { ...participant, joined: true })
  const next = { ...state, participants, returning }
  const begins = participant.joined ? [] : [BeginMeter({ ref })]
  return [next, [...begins, Tell({ ref, told: { _tag: "joined", answer } }), ...roll(next)]]
}

const answerGiven = (
  state: CallState,
  { ref, answer }: { readonly ref: number; readonly answer: string }
): Step => {
  const participant = state.participants.get(ref)
  if (participant === undefined || isTooLong(answer)) return [state, []]
  return [state, [AnswerMedia({ media: participant.media, answer })]]
}

/** A participant is in the call no more. */
const removed = (state: CallState, ref: number): Step => {
  const participant = state.participants.get(ref)
  if (participant === undefined) return [state, []]
  const participants = new Map(state.participants)
  participants.delete(ref)
  const next = { ...state, participants }
  return [next, participant.joined ? [EndMeter({ ref }), ...roll(next)] : []]
}

const mediaRefused = (
  state: CallState,
  refusal: Extract<CallEvent, { readonly _tag: "MediaRefused" }>
): Step => {
  const [ref] = found(state, refusal.media) ?? []
  if (ref === undefined) return [state, []]
  const [next, actions] = removed(state, ref)
  return [next, [refused(ref, refusal.code, refusal.message), ...actions]]
}

const clientLeft = (state: CallState, ref: number): Step => {
  const asking = state.asking.filter((each) => each.ref !== ref)
  const returning = new Set(state.returning)
  const wasReturning = returning.delete(ref)
  const media = state.participants.get(ref)?.media
  if (media !== undefined) {
    const [next, actions] = removed({ ...state, asking, returning }, ref)
    // With its last participant a call is over, also for those who have not come back to it.
    const { returning: none, continued } = noCall
    const left = next.participants.size === 0 ? { ...next, returning: none, continued } : next
    return [left, [LeaveMedia({ media }), ...actions]]
  }
  const isSame = asking.length === state.asking.length && !wasReturning
  return isSame ? [state, []] : [{ ...state, asking, returning }, []]
}

const clientNamed = (
  state: CallState,
  { ref, clientId }: { readonly ref: number; readonly clientId: string }
): Step => {
  const asking = state.asking.map((each) => (each.ref === ref ? { ...each, clientId } : each))
  const participant = state.participants.get(ref)
  if (participant === undefined) {
    return state.asking.some((each) => each.ref === ref) ? [{ ...state, asking }, []] : [state, []]
  }
  if (participant.clientId === clientId) return [state, []]
  const participants = new Map(state.participants).set(ref, { ...participant, clientId })
  const next = { ...state, participants }
  const { media } = participant
  return [next, [SetGroups({ media, groups: groupsOf(state, clientId) }), ...roll(next)]]
}

const groupsChanged = (
  state: CallState,
  changes: Extract<CallEvent, { readonly _tag: "GroupsChanged" }>["changes"]
): Step => {
  const groups = new Map(state.groups)
  for (const { sessionId, groups: given } of changes) {
    groups.delete(sessionId)
    if (given !== null) groups.set(sessionId, given)
    const [oldest] = groups.keys()
    if (groups.size > groupsMax && oldest !== undefined) groups.delete(oldest)
  }
  const next = { ...state, groups }
  const changed = new Set(changes.map(({ sessionId }) => sessionId))
  const actions = inMedia(state)
    .filter(([, { clientId }]) => changed.has(clientId))
    .map(([, { media, clientId }]) => SetGroups({ media, groups: groupsOf(next, clientId) }))
  return [next, actions]
}

const mediaLost = (state: CallState, media: number): Step => {
  const [ref] = found(state, media) ?? []
  if (ref === undefined) return [state, []]
  const [next, actions] = removed(state, ref)
  const returning = new Set(state.returning).add(ref)
  return [{ ...next, returning }, [...actions, Tell({ ref, told: { _tag: "ended" } })]]
}

const roomMoved = (state: CallState): Step => {
  const actions = inMedia(state).flatMap(([ref, { media, joined }]) => [
    LeaveMedia({ media }),
    ...(joined ? [EndMeter({ ref })] : []),
    Tell({ ref, told: { _tag: "ended" } })
  ])
  const asked = state.asking.map(({ ref }) => Tell({ ref, told: { _tag: "ended" } }))
  return [{ ...noCall, groups: state.groups }, [...actions, ...asked]]
}
