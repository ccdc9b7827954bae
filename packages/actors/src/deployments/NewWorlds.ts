import type { VersionStep } from "../migrations/VersionStep.ts"
import type { VersionTypes } from "./RoomMover.ts"

/** A room type whose physics worlds are made anew, as another library reads none that were stored. */
export interface NewWorlds {
  readonly type: string
  /** The libraries with their versions, such as `rapier3d 0.21.0`. */
  readonly was: string
  readonly is: string
}

/** Room types whose library a deployment replaces: none where it discards what is stored. Source: C-864. */
export const newWorlds = (
  before: VersionTypes | null,
  next: VersionTypes & { readonly step: VersionStep | null }
): ReadonlyArray<NewWorlds> => {
  if (before === null || next.step?.discards === true) return []
  return next.roomTypes.flatMap(({ type, physics }) => {
    const was = before.roomTypes.find((old) => old.type === type)?.physics?.engine
    const is = physics?.engine
    return was === undefined || is === undefined || was === is ? [] : [{ type, was, is }]
  })
}
