/** Who hears whom: a client hears another one that speaks to a group that it hears. */
export interface VoiceGroups {
  readonly speaks: ReadonlyArray<string>
  readonly hears: ReadonlyArray<string>
}

/** The groups of a client to which room code has given none: such clients hear each other. Room code cannot name this group. */
export const everybody: VoiceGroups = { speaks: [""], hears: [""] }

/** Whether a client of the first groups is heard by one of the second. */
export const isHeard = ({ speaks }: VoiceGroups, { hears }: VoiceGroups): boolean =>
  speaks.some((group) => hears.includes(group))
