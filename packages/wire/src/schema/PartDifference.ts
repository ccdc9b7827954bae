import { breakingDifference } from "./BreakingDifference.ts"
import { buildSchema } from "./BuildSchema.ts"
import type { AnyRoomSchema, FieldList } from "./RoomSchema.ts"

/** A schema of nothing. */
const blank = buildSchema({
  settings: { type: "blank" },
  singletons: [],
  entities: [],
  messages: [],
  clientRpcs: [],
  serverRpcs: [],
  player: []
})

const stateOf = ({ singletons, collections }: AnyRoomSchema): AnyRoomSchema => ({
  ...blank,
  singletons,
  collections
})

/** The first difference that a stored state cannot bridge by name; `null` = it goes on by name. */
export const stateDifference = (old: AnyRoomSchema, next: AnyRoomSchema): string | null =>
  breakingDifference(stateOf(old), stateOf(next))

/** The same of the persisted fields of players. */
export const playerDifference = (old: FieldList, next: FieldList): string | null =>
  breakingDifference({ ...blank, player: old }, { ...blank, player: next })
