import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { MiB } from "@atrium/wire/limits/Limit"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { Data } from "effect"

/** A room in a shared process. Each start of a room is a member of its own. */
export interface Member {
  readonly member: number
  /** The room's project and id. */
  readonly room: string
}

/** A process for rooms that share one. */
export interface Group {
  readonly group: number
  /** Rooms that may share: those of one project, version and type have the same one. */
  readonly kind: string
  readonly members: ReadonlyArray<Member>
  /** `null` = it has rooms. */
  readonly emptySincePolls: number | null
}

/** The shared processes of a runner, and the rooms that may not be in one now. */
export interface Groups {
  readonly next: number
  /** The oldest first. */
  readonly groups: ReadonlyArray<Group>
  /** The poll from which on a room may share again. */
  readonly aloneUntilPolls: ReadonlyMap<string, number>
}

/** Times are polls of the runner's room processes. */
export type GroupEvent = Data.TaggedEnum<{
  RoomAsked: Member & { readonly kind: string; readonly atPolls: number }
  /** A room of the process has ended, and the process goes on. */
  RoomLeft: { readonly group: number; readonly member: number; readonly atPolls: number }
  /** The process is near its ceiling, gives no answer, breaks the protocol, or has ended. */
  GroupFailed: { readonly group: number; readonly atPolls: number }
  Polled: { readonly atPolls: number }
}>
export const GroupEvent = Data.taggedEnum<GroupEvent>()

export type GroupAction = Data.TaggedEnum<{
  /** The room has a process of its own. */
  RunAlone: {}
  StartGroup: { readonly group: number }
  Enter: { readonly group: number; readonly member: number }
  /** So many rooms are in the process now. */
  Resize: { readonly group: number; readonly rooms: number }
  /** Ends the process. `counts`: what it did is the doing of its only room. */
  EndGroup: { readonly group: number; readonly counts: boolean }
}>
export const GroupAction = Data.taggedEnum<GroupAction>()

type Step = readonly [Groups, ReadonlyArray<GroupAction>]

export interface GroupPace {
  readonly alonePolls: number
  readonly emptyPolls: number
}

export const noGroups: Groups = { next: 1, groups: [], aloneUntilPolls: new Map() }

/** Says which process a room has, and what follows when a shared one fails. Total. Source: D-55, C-971 to C-975. */
export const groupStep = (state: Groups, event: GroupEvent, pace: GroupPace): Step => {
  switch (event._tag) {
    case "RoomAsked":
      return asked(state, event)
    case "RoomLeft":
      return left(state, event)
    case "GroupFailed":
      return failed(state, event, pace)
    case "Polled":
      return polled(state, event.atPolls, pace)
  }
}

/** What the rooms of a shared process may take together. One that is the only room has what a room has. */
export const groupCeilingBytes = (rooms: number): number => {
  const sum = rooms * RoomClasses.standard.memoryMiB * MiB
  return rooms <= 1
    ? RoomClasses.standard.memoryMiB * MiB
    : Math.floor((sum * RoomProcessLimits.sharedNear.max) / 100)
}

type Of<Tag extends GroupEvent["_tag"]> = Data.TaggedEnum.Value<GroupEvent, Tag>

const asked = (state: Groups, { member, room, kind, atPolls }: Of<"RoomAsked">): Step => {
  if ((state.aloneUntilPolls.get(room) ?? 0) > atPolls) return [state, [GroupAction.RunAlone()]]
  const open = state.groups.find(
    (group) => group.kind === kind && group.members.length < RoomProcessLimits.sharedRooms.max
  )
  const group = open?.group ?? state.next
  const members = [...(open?.members ?? []), { member, room }]
  const entered: Group = { group, kind, members, emptySincePolls: null }
  const enter = [
    GroupAction.Resize({ group, rooms: members.length }),
    GroupAction.Enter({ group, member })
  ]
  if (open !== undefined) return [replaced(state, entered), enter]
  const groups = [...state.groups, entered]
  return [{ ...state, next: state.next + 1, groups }, [GroupAction.StartGroup({ group }), ...enter]]
}

const left = (state: Groups, { group, member, atPolls }: Of<"RoomLeft">): Step => {
  const known = state.groups.find((each) => each.group === group)
  const members = known?.members.filter((each) => each.member !== member) ?? []
  if (known === undefined || members.length === known.members.length) return [state, []]
  const emptySincePolls = members.length === 0 ? atPolls : null
  return [
    replaced(state, { ...known, members, emptySincePolls }),
    [GroupAction.Resize({ group, rooms: members.length })]
  ]
}

const failed = (state: Groups, { group, atPolls }: Of<"GroupFailed">, pace: GroupPace): Step => {
  const known = state.groups.find((each) => each.group === group)
  if (known === undefined) return [state, []]
  const aloneUntilPolls = new Map(state.aloneUntilPolls)
  for (const { room } of known.members) aloneUntilPolls.set(room, atPolls + pace.alonePolls)
  const groups = state.groups.filter((each) => each !== known)
  const counts = known.members.length === 1
  return [{ ...state, groups, aloneUntilPolls }, [GroupAction.EndGroup({ group, counts })]]
}

const polled = (state: Groups, atPolls: number, { emptyPolls }: GroupPace): Step => {
  const isOver = ({ emptySincePolls }: Group): boolean =>
    emptySincePolls !== null && atPolls - emptySincePolls >= emptyPolls
  const over = state.groups.filter(isOver)
  const alone = [...state.aloneUntilPolls].filter(([, untilPolls]) => untilPolls > atPolls)
  if (over.length === 0 && alone.length === state.aloneUntilPolls.size) return [state, []]
  const groups = state.groups.filter((group) => !isOver(group))
  return [
    { ...state, groups, aloneUntilPolls: new Map(alone) },
    over.map(({ group }) => GroupAction.EndGroup({ group, counts: false }))
  ]
}

const replaced = (state: Groups, group: Group): Groups => ({
  ...state,
  groups: state.groups.map((each) => (each.group === group.group ? group : each))
})
