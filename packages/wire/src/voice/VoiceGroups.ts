/** Who hears whom: a client hears another one that speaks to a group that it hears. */
export interface VoiceGroups {
  readonly speaks: ReadonlyArray<string>
  readonly hears: ReadonlyArray<string>
}

/** Of clients to whom room code has given no groups: they hear each other. No other group has this name. */
export const everybody: VoiceGroups = { speaks: [""], hears: [""] }

/** Whether a client of the first groups is heard by one of the second. */
export const isHeard = ({ speaks }: VoiceGroups, { hears }: VoiceGroups): boolean =>
  speaks.some((group) => hears.includes(group))
